import Foundation
import LinkModel
import LinkTesting
import LinuxKernel
import PacketEngine
import PacketLoop
import SystemPackage
import Testing

@testable import DataPlane
@testable import EnginePlane

/// What may be said to the engine, and what that makes of it.
@Suite("Messages to the engine", .tags(.unit)) struct ServiceMessageTests {
    private static func request(_ selector: TrafficSelector = .everything) -> EngineRequest {
        EngineRequest(
            apply: ApplyRequest(
                conditions: LinkConditions(), profile: "p", selector: selector, now: 17),
            interfaces: [3])
    }

    @Test(arguments: ["", "to=192.0.2.0/24,port=80", "family=ipv6;port=22", ";to=2001:db8::1"])
    func `a selector is sent as its word, and the rules are made of that`(word: String) throws {
        let selector = try #require(TrafficSelector(text: word))
        let data = try JSONEncoder().encode(Self.request(selector))
        #expect(
            String(decoding: data, as: UTF8.self).contains(
                "\"selector\":\"\(word)\"".replacing("/", with: "\\/")))
        let request = try JSONDecoder().decode(EngineRequest.self, from: data)
        #expect(request.apply.selector == selector)
    }

    @Test(arguments: [
        "accept; add table ip pwned { }", "to=192.0.2.1 accept", "to=192.0.2.1;accept",
        "port=80}; add table ip pwned", "protocol=tcp\nadd table ip pwned", "family=ipv5",
        "to=\"192.0.2.1\"", "port=80-", "@x", "to=192.0.2.1,,port=1",
    ])
    func `nothing else is a selector`(word: String) throws {
        let data = try JSONEncoder().encode([word])
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([TrafficSelector].self, from: data)
        }
    }

    @Test(arguments: ["", "a b", "a'b", "a\nb", "a;b", String(repeating: "a", count: 33)])
    func `conditions have names that marks have room for`(name: String) throws {
        var request = Self.request()
        request.apply.name = name
        #expect(throws: EngineError.unintelligible) { try request.check() }
    }

    @Test(arguments: ["", "a b", "../a", "é", String(repeating: "a", count: 33)])
    func `watchers have names that files and marks have room for`(watcher: String) throws {
        var request = Self.request()
        request.apply.limit = TimeLimit(ends: 1, process: nil, watcher: "a1")
        try request.check()
        request.apply.limit?.watcher = watcher
        #expect(throws: EngineError.unintelligible) { try request.check() }
    }

    @Test func `each interface is asked for once`() throws {
        var request = Self.request()
        try request.check()
        request.interfaces = [3, 3]
        #expect(throws: EngineError.unintelligible) { try request.check() }
        request.interfaces = []
        #expect(throws: EngineError.unintelligible) { try request.check() }
    }

    @Test func `traces come as files, and what is in those is not told`() throws {
        var request = Self.request().apply
        request.conditions.down.trace = "/etc/shadow"
        #expect(throws: EngineError.unintelligible) { try request.traces(from: []) }
        let good = try MemoryFile.open("1\n2\n")
        let bad = try MemoryFile.open("root:secret\n")
        defer { for file in [good, bad] { try? file.close() } }
        #expect(try request.traces(from: [good]).down?.period == .milliseconds(2))
        #expect(throws: EngineError.unintelligible) { try request.traces(from: [bad]) }
        #expect(throws: EngineError.unintelligible) { try request.traces(from: [good, good]) }
        let pipe = try PipeEnds()
        defer { for end in [pipe.reader, pipe.writer] { try? end.close() } }
        #expect(throws: EngineError.unintelligible) { try request.traces(from: [pipe.reader]) }
        #expect(!EngineError.unintelligible.description.contains("secret"))
    }

    /// An engine that an older linkcond has started would say that it does not understand, and not
    /// why. So whoever adds to what is sent raises the version.
    @Test func `this version has these kinds of selectors`() {
        #expect(ServiceGreeting.currentVersion == 6)
        #expect(
            TrafficMatch.Kind.allCases.map(\.rawValue) == [
                "to", "from", "port", "to-port", "from-port", "protocol", "user", "cgroup",
                "process",
            ])
    }

    @Test func `what was done is remembered for a while`() {
        var outcomes = ServiceOutcomes()
        outcomes[1] = .failed(.unintelligible)
        for id: UInt64 in 2...40 { outcomes[id] = .applied }
        guard case .failed = outcomes[1], case .applied = outcomes[40] else {
            Issue.record("outcomes are mixed up")
            return
        }
        for id: UInt64 in 41...200 { outcomes[id] = .applied }
        #expect(outcomes[1] == nil)
    }
}
