import Foundation
import LinkTesting
import Testing

@testable import TrafficControl

@Suite("Delay distributions", .tags(.unit))
struct DelayDistributionTests {
    private static func numbers(_ table: [UInt8]) -> [Double] {
        stride(from: 0, to: table.count, by: 2).map { index in
            Double(Int16(truncatingIfNeeded: Int(table[index]) | Int(table[index + 1]) << 8)) / 8192
        }
    }

    private static func quantile(_ sorted: [Double], _ share: Double) -> Double {
        let position = share * Double(sorted.count) - 0.5
        let index = Int(position)
        let weight = position - Double(index)
        return sorted[index] * (1 - weight) + sorted[index + 1] * weight
    }

    @Test("A table has 4,096 entries in rising order", arguments: DelayDistribution.allCases)
    func order(distribution: DelayDistribution) {
        let numbers = Self.numbers(distribution.table)
        #expect(numbers.count == 4096)
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 <= $1 })
    }

    @Test("What netem draws has mean 0 and deviation 1", arguments: DelayDistribution.allCases)
    func moments(distribution: DelayDistribution) {
        let numbers = Self.numbers(distribution.table)
        let mean = numbers.reduce(0, +) / 4096
        let variance = numbers.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / 4096
        #expect(abs(mean) < 1e-4)
        #expect(abs(variance.squareRoot() - 1) < 1e-4)
    }

    @Test("The normal table has the quantiles of the normal distribution")
    func normal() {
        let numbers = Self.numbers(DelayDistribution.normal.table)
        for (share, expected) in [
            (0.001, -3.090), (0.01, -2.326), (0.025, -1.960), (0.1587, -1.0), (0.25, -0.6745),
            (0.5, 0), (0.75, 0.6745), (0.8413, 1.0), (0.975, 1.960), (0.99, 2.326), (0.999, 3.090),
        ] {
            #expect(abs(Self.quantile(numbers, share) - expected) < 0.02, "\(share)")
        }
    }

    @Test("The Pareto table is Pareto with shape 3, stretched to make up for its cut tail")
    func pareto() {
        let numbers = Self.numbers(DelayDistribution.pareto.table)
        let median = Self.quantile(numbers, 0.5)
        let stretch =
            (Self.quantile(numbers, 0.9) - median)
            / ((pow(0.1, -1.0 / 3) - pow(0.5, -1.0 / 3)) / 0.75.squareRoot())
        #expect(stretch > 1 && stretch < 1.6)
        for share in [0.01, 0.1, 0.25, 0.75, 0.95] {
            let exact =
                (pow(1 - share, -1.0 / 3) - pow(0.5, -1.0 / 3)) / 0.75.squareRoot() * stretch
            #expect(abs(Self.quantile(numbers, share) - median - exact) < 0.02, "\(share)")
        }
        #expect(numbers[0] > -1)
        #expect(numbers[4095] > 3.99)
    }

    @Test("Paretonormal lies between the two that it is made of")
    func paretonormal() {
        let numbers = Self.numbers(DelayDistribution.paretonormal.table)
        let normal = Self.numbers(DelayDistribution.normal.table)
        let pareto = Self.numbers(DelayDistribution.pareto.table)
        #expect(numbers[0] > normal[0] && numbers[0] < pareto[0])
        #expect(Self.quantile(numbers, 0.5) < 0)
        #expect(Self.quantile(numbers, 0.5) > Self.quantile(pareto, 0.5))
    }

    @Test("The uniform table reaches exactly one jitter to both sides")
    func uniform() {
        let numbers = Self.numbers(DelayDistribution.uniformTable)
        #expect(numbers.count == 4096)
        #expect(abs(numbers[0] + 1) < 0.001 && abs(numbers[4095] - 1) < 0.001)
        #expect(abs(numbers.reduce(0, +)) < 1e-6)
        let steps = zip(numbers, numbers.dropFirst()).map { $1 - $0 }
        #expect(steps.allSatisfy { abs($0 - 2.0 / 4096) < 0.0002 })
    }

    /// Where Debian and Fedora put the tables of iproute2.
    private static let tables = ["/usr/lib/x86_64-linux-gnu/tc", "/usr/lib/tc", "/usr/lib64/tc"]

    private static func tcTable(_ name: String) -> [Double]? {
        tables.lazy.compactMap { FileManager.default.contents(atPath: "\($0)/\(name).dist") }.first
            .map { data in
                String(decoding: data, as: UTF8.self).split(separator: "\n")
                    .filter { !$0.hasPrefix("#") }.flatMap { $0.split(separator: " ") }
                    .compactMap { Double($0) }.map { $0 / 8192 }.sorted()
            }
    }

    @Test(
        "The normal table agrees with tc's within a hundredth of a deviation",
        .enabled("tc has no tables here") { tcTable("normal") != nil })
    func agreesWithTc() throws {
        let theirs = try #require(Self.tcTable("normal"))
        let ours = Self.numbers(DelayDistribution.normal.table)
        for index in 100..<3996 { #expect(abs(ours[index] - theirs[index]) < 0.01) }
    }
}
