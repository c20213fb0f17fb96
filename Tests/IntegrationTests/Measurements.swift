import Foundation
import LinkTesting

/// What `Scripts/measure/udp-probe` found.
struct Probe: Decodable, Sendable {
    struct Delay: Decodable, Sendable {
        let p50: Double
        let stddev: Double
    }

    let received: Int
    let lossRatio: Double
    let meanLossBurstPackets: Double?
    let reordered: Int
    let duplicates: Int
    let corrupted: Int
    let sentPacketsPerSecond: Double
    let delayMilliseconds: Delay?

    var meanBurst: Double { meanLossBurstPackets ?? 0 }
    var median: Double { delayMilliseconds?.p50 ?? .infinity }
    var deviation: Double { delayMilliseconds?.stddev ?? .infinity }
}

/// What `Scripts/measure/tcp-goodput` found.
private struct Transfer: Decodable {
    let goodputBitsPerSecond: Double
}

extension TestNetwork {
    /// The shortest of some round trips, in milliseconds.
    func shortestRoundTrip(to address: String, count: Int = 5) async throws -> Double {
        // The hosts get to know each other first. Where the kernel is busy with other namespaces a
        // new address does not answer for a while, and who asks for it asks again after a second.
        _ = try await run("ping", ["-c", "1", "-w", "20", "-q", address])
        let interval = count > 5 ? "0.02" : "0.2"
        let ping = try await run("ping", ["-c", "\(count)", "-i", interval, "-q", address])
        guard let match = ping.standardOutput.firstMatch(of: /= ([0-9.]+)\//),
            let time = Double(match.1)
        else { throw Failure("ping \(address) said: \(ping.standardOutput)") }
        return time
    }

    /// The payload rate of one TCP connection in bits per second.
    func goodput(down: Bool) async throws -> Double {
        let text = try await measure(
            "tcp-goodput", down: down, isIPv6: false,
            ["--duration", "6", "--warmup", "2"])
        return try JSONDecoder().decode(Transfer.self, from: Data(text.utf8)).goodputBitsPerSecond
    }

    /// Sends numbered packets one way, and listens until none has come for `drain` seconds.
    func probe(
        down: Bool, isIPv6: Bool = false, count: Int, rate: Int, port: Int = 5001, drain: Int = 3
    ) async throws -> Probe {
        let text = try await measure(
            "udp-probe", down: down, isIPv6: isIPv6,
            [
                "--count", "\(count)", "--rate", "\(rate)", "--port", "\(port)", "--size", "100",
                "--drain", "\(drain)",
            ])
        return try JSONDecoder().decode(Probe.self, from: Data(text.utf8))
    }

    private func measure(
        _ tool: String, down: Bool, isIPv6: Bool, _ arguments: [String]
    ) async throws -> String {
        let addresses =
            isIPv6 ? (Self.appIPv6, Self.serverIPv6) : (Self.appIPv4, Self.serverIPv4)
        let result = try await runProcess(
            BuiltProduct.packageDirectory + "/Scripts/measure/\(tool)",
            [
                "--to", down ? addresses.0 : addresses.1, "--sender-netns", down ? server : app,
                "--receiver-netns", down ? app : server,
            ] + arguments)
        guard result.exitCode == 0 else {
            throw Failure("\(tool) failed: \(result.standardError)")
        }
        return result.standardOutput
    }
}

extension String {
    /// The path of a file beside the tests.
    var absoluteFixture: String {
        BuiltProduct.packageDirectory + "/Tests/IntegrationTests/Fixtures/" + self
    }
}
