import LinkUnits
import Testing

@Suite("Bandwidth")
struct BandwidthTests {
    @Test("A rate is read with its unit and written in the largest unit it fills")
    func text() throws {
        #expect(try Bandwidth(parsing: "1638.4 kbit/s") == .bitsPerSecond(1_638_400))
        #expect(Bandwidth.bitsPerSecond(1_638_400).description == "1.6384 Mbit/s")
        #expect(try Bandwidth(parsing: "10mbit") == .megabitsPerSecond(10))
    }
}
