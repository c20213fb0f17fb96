import LinkTesting
import Testing

@testable import Netlink

@Suite("Message builder", .tags(.unit))
struct MessageBuilderTests {
    @Test("Fixed parts and attributes are padded to four bytes, and the padding is zero")
    func padding() {
        let builder = MessageBuilder(type: 38, flags: 0x100)
        builder.append(UInt8(0xaa))
        builder.put(1, UInt8(0xbb))
        builder.put(2, bytes: [0xcc, 0xcc, 0xcc, 0xcc, 0xcc])
        builder.put(3, bytes: [])
        let message = builder.finish()
        #expect(
            Array(message.payload) == [
                0xaa, 0, 0, 0,
                5, 0, 1, 0, 0xbb, 0, 0, 0,
                9, 0, 2, 0, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0, 0, 0,
                4, 0, 3, 0,
            ])
        #expect(message.type == 38)
        #expect(message.flags == 0x101)
    }

    @Test("A nest is marked and says the length of all that is in it")
    func nesting() throws {
        let builder = MessageBuilder(type: 36)
        builder.nest(2) { builder in
            builder.put(1, UInt32(7))
            builder.nest(5) { $0.put(2, "ab") }
        }
        builder.put(3, UInt8(1))
        let message = builder.finish()
        #expect(
            Array(message.payload) == [
                24, 0, 2, 0x80,
                8, 0, 1, 0, 7, 0, 0, 0,
                12, 0, 5, 0x80, 7, 0, 2, 0, 0x61, 0x62, 0, 0,
                5, 0, 3, 0, 1, 0, 0, 0,
            ])
        let attributes = Attributes(message.payload)
        #expect(attributes.nested(2)?.value(1, as: UInt32.self) == 7)
        #expect(attributes.nested(2)?.nested(5)?.string(2) == "ab")
        #expect(attributes.value(3, as: UInt8.self) == 1)
    }

    @Test("A nest with nothing in it is left out")
    func emptyNest() {
        let builder = MessageBuilder(type: 36)
        builder.put(1, UInt32(7))
        builder.nest(2) { _ in }
        #expect(Array(builder.finish().payload) == [8, 0, 1, 0, 7, 0, 0, 0])
    }

    @Test("Flags and sequence number are changed in place")
    func header() {
        var message = MessageBuilder(type: 18).finish()
        message.flags |= 4
        message.sequence = 0x0102_0304
        #expect(message.bytes == [16, 0, 0, 0, 18, 0, 5, 0, 4, 3, 2, 1, 0, 0, 0, 0])
    }

    @Test("A table of 16 KiB has room beside everything else")
    func longAttribute() {
        let builder = MessageBuilder(type: 36)
        builder.put(1, bytes: Array(repeating: 1, count: 16 * 1024))
        builder.put(2, bytes: Array(repeating: 2, count: 8 * 1024))
        let attributes = Attributes(builder.finish().payload)
        #expect(attributes[1]?.count == 16 * 1024)
        #expect(attributes[2]?.count == 8 * 1024)
    }
}
