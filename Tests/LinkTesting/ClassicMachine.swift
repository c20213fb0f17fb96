/// Runs classic BPF programs as the kernel does, for tests without a kernel.
public struct ClassicMachine {
    private let program: [UInt8]
    private let packet: [UInt8]
    private let networkProtocol: UInt32

    /// Makes a machine for a program, as an array of `struct sock_filter`, and a packet from its
    /// link-layer header on, with the protocol that the kernel has noted for it.
    public init(_ program: [UInt8], packet: [UInt8], networkProtocol: UInt16) {
        self.program = program
        self.packet = packet
        self.networkProtocol = UInt32(networkProtocol)
    }

    private struct Instruction {
        let code: Int
        let skipped: (ifTrue: Int, ifFalse: Int)
        let operand: UInt32

        init(_ bytes: ArraySlice<UInt8>) {
            let bytes = Array(bytes)
            code = Int(bytes[0]) | Int(bytes[1]) << 8
            skipped = (Int(bytes[2]), Int(bytes[3]))
            operand = bytes[4...].reversed().reduce(0) { $0 << 8 | UInt32($1) }
        }
    }

    /// Whether the packet matches; nil if the program is not one that the kernel takes. Also tells
    /// how many instructions it took.
    public func run() -> (matches: Bool, steps: Int)? {
        var (accumulator, index, place) = (UInt32(0), UInt32(0), 0)
        for step in 1...(program.count / 8) {
            guard place * 8 + 8 <= program.count else { return nil }
            let instruction = Instruction(program[(place * 8)..<(place * 8 + 8)])
            let operand = instruction.operand
            place += 1
            func jump(_ isTrue: Bool) {
                place += isTrue ? instruction.skipped.ifTrue : instruction.skipped.ifFalse
            }
            switch instruction.code {
            case 0x06: return (operand != 0, step)
            case 0x05: place += Int(operand)
            case 0x15: jump(accumulator == operand)
            case 0x25: jump(accumulator > operand)
            case 0x35: jump(accumulator >= operand)
            case 0x54: accumulator &= operand
            case 0x01: index = operand
            case 0x28 where operand == 0xffff_f000: accumulator = networkProtocol
            case 0x20, 0x28, 0x30, 0x40, 0x48, 0x50:
                let offset = Int(operand) + (instruction.code & 0x40 != 0 ? Int(index) : 0)
                let size = [0: 4, 8: 2, 16: 1][instruction.code & 0x18] ?? 0
                guard offset + size <= packet.count else { return (false, step) }
                accumulator = packet[offset..<(offset + size)].reduce(0) {
                    $0 << 8 | UInt32($1)
                }
            default: return nil
            }
        }
        return nil
    }
}
