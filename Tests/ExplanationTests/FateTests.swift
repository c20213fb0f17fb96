import LinkModel
import LinkTesting
import Testing

@testable import Explanation

@Suite("Comments of captures", .tags(.unit))
struct FateTests {
    private static func fate(_ text: String) -> PacketFate? { PacketFate(Array(text.utf8).span) }

    @Test func `every comment is read`() {
        #expect(Self.fate("lost")?.drop == .lost)
        #expect(Self.fate("queue full")?.drop == .queueFull)
        #expect(Self.fate("dropped by FQ-CoDel")?.drop == .managed)
        #expect(Self.fate("larger than the MTU")?.drop == .oversized)
        #expect(Self.fate("interface down")?.drop == .disconnected)
        #expect(Self.fate("corrupted bit 99, delivered after 65.013 ms")?.drop == .corrupted)
        #expect(Self.fate("exempt: passes at once")?.delay == .zero)
        #expect(Self.fate("duplicate, delivered after 65.013 ms")?.isCopy == true)
        let fate = Self.fate(
            "delivered after 65.013 ms, 10.000 ms queued, 1.200 ms sending, reordered, 1.5 ms late")
        #expect(fate?.delay == .microseconds(65_013))
        #expect(fate?.queueing == .milliseconds(10))
        #expect(fate?.transmission == .microseconds(1200))
    }

    @Test func `others are not`() {
        for text in [
            "", "a comment", "delivered", "delivered after 9 ms", "delivered after x.000 ms",
            "duplicate", "delivered after 99999999999999999999.000 ms",
        ] {
            #expect(Self.fate(text) == nil, "\(text)")
        }
    }

    @Test func `the token of a Multipath TCP key is the beginning of its SHA-256`() {
        // printf '\0\1\2\3\4\5\6\7' | sha256sum
        #expect(MultipathToken.token(of: 0x0001_0203_0405_0607) == 0x8a85_1ff8)
    }
}
