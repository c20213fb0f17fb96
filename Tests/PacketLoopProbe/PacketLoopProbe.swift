import Foundation

/// A packet loop alone, and what measures it: for tests and benches.
///
///     PacketLoopProbe join APP FAR SEED [SETTING...]
///     PacketLoopProbe send INTERFACE PACKETS-PER-SECOND SECONDS SIZE
///     PacketLoopProbe listen INTERFACE SECONDS
///     PacketLoopProbe sleep WAKE-UPS-PER-SECOND SECONDS
///
/// `join` carries packets between two interfaces of its network namespace and says `ready`. For
/// each line that it reads it says what it has done so far as JSON, after it has changed its
/// conditions if the line has settings such as `up.delay=40 ms; down.loss=2%`. It ends with its
/// input. `send` sends numbered packets with the time in them (as fast as it can for a rate of
/// zero), and `listen` says what came of them and how late. `sleep` says how late a thread is that
/// only sleeps, and what it takes of a processor.
@main
enum PacketLoopProbe {
    static func main() {
        do {
            let arguments = CommandLine.arguments.dropFirst(2)
            switch CommandLine.arguments.dropFirst().first {
            case "join": try Join.run(arguments)
            case "send": try Send.run(Array(arguments))
            case "listen": try Listen.run(Array(arguments))
            case "sleep": try Sleep.run(Array(arguments))
            default: throw Usage()
            }
        } catch {
            FileHandle.standardError.write(Data("PacketLoopProbe: \(error)\n".utf8))
            exit(error is Usage ? 64 : 70)
        }
    }
}

struct Usage: Error, CustomStringConvertible {
    let description = "use join, send, listen or sleep with their arguments"
}

func say(_ text: String) {
    FileHandle.standardOutput.write(Data((text + "\n").utf8))
}

func say(_ value: some Encodable) throws {
    say(String(decoding: try JSONEncoder().encode(value), as: UTF8.self))
}

/// Of nanoseconds, in microseconds.
func quantiles(_ values: [Int64]) -> [String: Double] {
    let sorted = values.sorted()
    func quantile(_ share: Double) -> Double {
        guard !sorted.isEmpty else { return 0 }
        return Double(sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]) / 1000
    }
    return ["p50": quantile(0.5), "p99": quantile(0.99), "max": quantile(1)]
}

func index(of name: String) throws -> Int32 {
    let index = unsafe if_nametoindex(name)
    guard index > 0 else { throw CocoaError(.fileNoSuchFile) }
    return Int32(index)
}
