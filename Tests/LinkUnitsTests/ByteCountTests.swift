import LinkTesting
import LinkUnits
import Testing

@Suite("Byte count", .tags(.unit))
struct ByteCountTests {
    @Test(
        "A size is read in every spelling",
        arguments: [
            ("64 KiB", 65536), ("64kib", 65536), ("1.5 MiB", 1_572_864), ("2 GiB", 2_147_483_648),
            ("10 kB", 10000), ("3 MB", 3_000_000), ("1 GB", 1_000_000_000), ("1500 B", 1500),
            ("0 B", 0), ("0.00 KiB", 0),
        ] as [(String, UInt64)])
    func reading(text: String, bytes: UInt64) throws {
        #expect(try ByteCount(parsing: text).bytes == bytes)
    }

    @Test(
        "What is no size is refused with the way out",
        arguments: [
            ("", "is empty; write a size such as \"64 KiB\""),
            ("64", "\"64\" has no unit; write \"64 KiB\""),
            ("-1 B", "\"-1 B\" is negative; a size cannot be"),
            ("KiB", "\"KiB\" is not a size; write one such as \"64 KiB\""),
            ("5 packets", "\"5 packets\" has an unknown unit \"packets\"; use B, KiB, MiB or GiB"),
            ("0.1 B", "\"0.1 B\" is not a whole number of bytes in range"),
            ("17179869184 GiB", "\"17179869184 GiB\" is not a whole number of bytes in range"),
        ])
    func errors(text: String, message: String) {
        #expect(throws: QuantityError(message)) { try ByteCount(parsing: text) }
    }

    @Test("Every size is read back from what it prints")
    func roundTrip() throws {
        var generator = SeededGenerator(seed: 2)
        for _ in 0..<2000 {
            let count = ByteCount(bytes: generator.nextOfAnySize())
            #expect(try ByteCount(parsing: count.description) == count)
        }
    }

    @Test(
        "A size is printed in the largest binary unit that divides it",
        arguments: [
            (0, "0 B"), (1500, "1500 B"), (1024, "1 KiB"), (1536, "1536 B"), (65536, "64 KiB"),
            (3 << 20, "3 MiB"), (5 << 30, "5 GiB"),
        ] as [(UInt64, String)])
    func printing(bytes: UInt64, text: String) {
        #expect(ByteCount(bytes: bytes).description == text)
    }

    @Test("Packets are counted whole, up to the largest number")
    func packets() {
        let packet = ByteCount(bytes: 1500)
        #expect(ByteCount(bytes: 0).packets(of: packet) == 0)
        #expect(ByteCount(bytes: 1).packets(of: packet) == 1)
        #expect(ByteCount(bytes: 3000).packets(of: packet) == 2)
        #expect(ByteCount(bytes: 3001).packets(of: packet) == 3)
        #expect(ByteCount(bytes: .max).packets(of: packet) == 12_297_829_382_473_035)
        #expect(ByteCount(bytes: .max).packets(of: ByteCount(bytes: 1)) == Int.max)
    }
}
