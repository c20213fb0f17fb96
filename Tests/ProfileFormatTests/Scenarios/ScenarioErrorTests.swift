import LinkTesting
import ProfileFormat
import Scenarios
import Testing

@Suite("What is wrong with a scenario file", .tags(.unit))
struct ScenarioErrorTests {
    private func message(_ read: () throws -> Scenario) -> String? {
        #expect(throws: ProfileError.self, performing: { try read() })?.description
    }

    @Test(arguments: [
        ("", ": is not a scenario; the first line of one is \"name: ...\""),
        ("- name: A", ":1: is not a scenario; the first line of one is \"name: ...\""),
        ("summary: A", ":1: name: is missing; every scenario has one"),
        ("name: a/b", ":1: name: \"a/b\" has a slash, which is for paths of files"),
        ("name: A\ntimelime: []", ":2: timelime: unknown key; did you mean timeline?"),
        ("name: A", ": interfaces: is missing; write interfaces: { wifi0: { profile: WiFi } }"),
        (
            "name: A\ninterfaces: [wifi0]",
            ":2: interfaces: has to be a list of names, such as { wifi0: { profile: WiFi } }"
        ),
        (
            "name: A\ninterfaces:\n  wifi0: WiFi",
            ":3: interfaces.wifi0: has to be a list of fields, such as { profile: ... }"
        ),
        (
            "name: A\ninterfaces:\n  wifi0: { profil: WiFi }",
            ":3: interfaces.wifi0.profil: unknown key; did you mean profile?"
        ),
        (
            "name: A\ninterfaces:\n  wifi0: { expensive: true }",
            ":3: interfaces.wifi0.profile: is missing; write profile: LTE"
        ),
        (
            "name: A\ninterfaces:\n  wifi0: { profile: WiFii }",
            ":3: interfaces.wifi0.profile: WiFii: no such profile"
        ),
        (
            "name: A\ninterfaces:\n  wifi0: { profile: WiFi }\n  wifi0: { profile: LTE }",
            ":3: wifi0 is given twice; keep one"
        ),
        (
            "name: A\ninterfaces:\n  wifi0: { profile: WiFi }\n  sixteen-bytes-00: { profile: LTE }",
            ":4: interfaces.sixteen-bytes-00: is longer than the 15 bytes that Linux takes"
        ),
        (
            "name: A\ninterfaces:\n  wi/fi: { profile: WiFi }",
            ":3: interfaces.wi/fi: may have letters, digits, \"-\", \"_\" and \".\" and nothing else"
        ),
        (
            "name: A\ninterfaces:\n  lo: { profile: WiFi }",
            ":3: interfaces.lo: is the loopback, which every app has; choose another name"
        ),
        (
            "name: A\ninterfaces:\n  x: { profile: Free, set: { down.queue: 5 packets } }",
            ":3: interfaces.x.set.down.queue: nothing queues where no bandwidth limits; "
                + "give the direction one"
        ),
        (
            "name: A\ninterfaces: { x: { profile: Free } }\n"
                + "repeat: { every: 2 s, times: 9223372036854775807 }",
            ":3: repeat.times: 9223372036854775807 is more than the 15768000 that take a year; "
                + "leave it out to repeat the timeline until the command ends"
        ),
        (
            "name: A\ninterfaces: { x: { profile: Free } }\nrepeat: 3",
            ":3: repeat: has to be a list of fields, such as { every: ... }"
        ),
        (
            "name: A\ninterfaces: { x: { profile: Free } }\nrepeat: { times: 3 }",
            ":3: repeat.every: is missing; write repeat: { every: 60 s, times: 3 }"
        ),
        (
            "name: A\ninterfaces: { x: { profile: Free } }\nrepeat: { every: 1 s, times: 0 }",
            ":3: repeat.times: is at least 1"
        ),
        (
            "name: A\ninterfaces: { x: { profile: Free } }\nrepeat: { every: 1 us }",
            ":3: repeat.every: is outside 1 ms to 2592000 s"
        ),
        (
            "name: A\ninterfaces: { x: { profile: Free } }\nmultipath: both",
            ":3: multipath: \"both\" is not one of off, handover, interactive, aggregate"
        ),
        (
            "name: A\ninterfaces: { x: { profile: Free } }\ntimeline: { at: 5 s }",
            ":3: timeline: has to be a list, such as - { at: 5 s, interface: wifi0, down: true }"
        ),
        (
            "name: A\ntimeline:\n\t- x",
            ":3: not valid YAML: a tab indents this line; indent with blanks"
        ),
    ])
    func `of the whole`(text: String, expected: String) {
        #expect(message { try readScenario(text) } == "a.yaml\(expected)")
    }

    @Test(arguments: [
        (
            "down",
            "5: timeline: an entry is a list of fields, such as { at: 5 s, interface: wifi0, down: true }"
        ),
        (
            "{ at: 5 s, comment: x }",
            "5: comment: unknown key; known here: at, every, from, until, for, limit, interface, profile, set, middle, over, down, up, expensive, constrained, kind, appear, vanish, prefer, device, app, exec, expect"
        ),
        ("{ at: 5 s, perfer: cell0 }", "5: perfer: unknown key; did you mean prefer?"),
        ("{ interface: wifi0, down: true }", "5: at: is missing; write at: 5 s, or every: 15 s"),
        (
            "{ at: 5 s, every: 5 s, prefer: cell0 }",
            "5: at: and every contradict each other; write from: for the first time"
        ),
        (
            "{ at: 5 s, until: 9 s, prefer: cell0 }",
            "5: until: belongs to every; write every: 15 s as well, or at"
        ),
        (
            "{ at: 5 s }",
            "5: nothing happens in this entry; say one of profile, set, middle, down, up, expensive, constrained, kind, appear, vanish, prefer, app, exec, expect"
        ),
        ("{ at: 5, prefer: cell0 }", "5: at: \"5\" has no unit; write \"5 ms\""),
        ("{ at: -5 s, prefer: cell0 }", "5: at: \"-5 s\" is negative; a duration cannot be"),
        (
            "{ at: 1 s ± 2 s, prefer: cell0 }",
            "5: at: 1 s ± 2 s may be before the start; make the second time at most the first"
        ),
        (
            "{ at: 1000 h, prefer: cell0 }",
            "5: at: 3600000 s is too long; the longest time is 2592000 s"
        ),
        (
            "{ at: 1 s, interface: wfi0, down: true }",
            "5: interface: wfi0: no such interface; did you mean wifi0?"
        ),
        (
            "{ at: 1 s, interface: x, down: true }",
            "5: interface: x: no such interface; this scenario has wifi0, cell0, vpn0"
        ),
        ("{ at: 1 s, prefer: cell1 }", "5: prefer: cell1: no such interface; did you mean cell0?"),
        ("{ at: 1 s, down: true }", "5: down: which interface? write interface: wifi0"),
        (
            "{ at: 1 s, interface: wifi0 }",
            "5: interface: does nothing by itself; say one of profile, set, middle, down, up, expensive, constrained, kind"
        ),
        ("{ at: 1 s, interface: wifi0, down: false }", "5: down: is always true; write up: true"),
        (
            "{ at: 1 s, interface: wifi0, down: true, up: true }",
            "5: down: and up contradict each other; leave one out"
        ),
        (
            "{ at: 1 s, interface: wifi0, down: true, over: 1 s }",
            "5: over: belongs to profile or set, which change evenly"
        ),
        ("{ at: 1 s, interface: wifi0, profile: 4G }", "5: profile: 4G: no such profile"),
        (
            "{ at: 1 s, interface: wifi0, set: {} }",
            "5: set: has to be a list of fields, such as { down.loss: 2% }"
        ),
        (
            "{ at: 1 s, interface: wifi0, set: { loss: 1% } }",
            "5: set.loss: is not a field; fields are down.bandwidth, up.delay, dns.delay, blackhole and the like"
        ),
        (
            "{ at: 1 s, interface: wifi0, set: { down.dleay: 1 s } }",
            "5: set.down.dleay: unknown key; did you mean delay?"
        ),
        (
            "{ at: 1 s, interface: wifi0, set: { down.delay: 1 } }",
            "5: set.down.delay: \"1\" has no unit; write \"1 ms\""
        ),
        (
            "{ at: 1 s, interface: wifi0, set: { up.queue: 5 packets } }",
            "5: set.up.queue: nothing queues where no bandwidth limits; give the direction one"
        ),
        (
            "{ at: 1 s, app: pause }",
            "5: app: \"pause\" is not one of suspend, resume, terminate, relaunch, { signal: USR1 }"
        ),
        (
            "{ at: 1 s, app: { signal: USR3 } }",
            "5: app.signal: \"USR3\" is not one of HUP, INT, QUIT, ABRT, KILL, USR1, USR2, ALRM, TERM, CONT, STOP, TSTP, WINCH"
        ),
        ("{ at: 1 s, exec: }", "5: exec: has to be a command of the shell"),
        (
            "{ at: 1 s, expect: {} }",
            "5: expect: expects nothing; write expect: { isConstrained: true }"
        ),
        (
            "{ at: 1 s, expect: { exit: 0 } }",
            "5: expect.exit: is known when the command has ended; write at: end"
        ),
        (
            "{ at: 1 s, expect: { interface: vpn0 } }",
            "5: expect: vpn0 is not there at 1 s; write an entry with appear: vpn0"
        ),
        (
            "{ at: 1 s, expect: { status: unsatisfied, interface: cell0 } }",
            "5: expect.interface: there is none when status is unsatisfied; leave one of them out"
        ),
        (
            "{ at: 1 s, expect: { within: 1 s } }",
            "5: expect.within: belongs to command, which is tried that long"
        ),
        (
            "{ at: end, prefer: cell0 }",
            "5: prefer: at the end the command has ended; only expect has a meaning there"
        ),
        (
            "{ at: 1 s, app: relaunch, for: 1 s }",
            "5: for: app cannot be undone; leave one of them out"
        ),
        ("{ at: 1 s, prefer: cell0, for: 0 s }", "5: for: lasts no time; leave it out"),
        (
            "{ at: 1 s, interface: wifi0, profile: LTE, over: 2 s, for: 1 s }",
            "5: over: the ramp of 2 s is not over when the change ends after 1 s"
        ),
        ("{ every: 1 us, prefer: cell0 }", "5: every: 1 us is outside 1 ms to 2592000 s"),
        (
            "{ every: 1 s, from: 9 s, until: 8 s, prefer: cell0 }",
            "5: until: 8 s is before 9 s, when it begins, so it never happens; make it later, or from earlier"
        ),
        (
            "{ every: 1 s, prefer: cell0, for: 2 s }",
            "5: for: 2 s is longer than the 1 s after which it begins again"
        ),
        (
            "{ every: 3 s, interface: wifi0, profile: LTE, over: 2 s, for: 2 s }",
            "5: for: 4 s, the way back included, is longer than the 3 s after which it begins again"
        ),
    ])
    func `of one entry`(entry: String, expected: String) {
        #expect(message { try scenario(timeline: "  - \(entry)") } == "a.yaml:\(expected)")
    }

    @Test(arguments: [
        (
            "- { at: 5 s, interface: vpn0, down: true }\n- { at: 6 s, appear: vpn0 }",
            "5: down: vpn0 is not there at 5 s; it appears by line 6"
        ),
        (
            "- { at: 5 s, prefer: vpn0 }",
            "5: prefer: vpn0 is not there at 5 s; write an entry with appear: vpn0"
        ),
        (
            "- { at: 5 s, appear: wifi0 }",
            "5: appear: wifi0 is there already at 5 s; say present: false where it is listed"
        ),
        ("- { at: 5 s, vanish: vpn0 }", "5: vanish: vpn0 is not there at 5 s; leave this out"),
        (
            "- { at: 5 s, vanish: wifi0 }\n- { at: 6 s, interface: wifi0, up: true }",
            "6: up: wifi0 is not there at 6 s; write an entry with appear: wifi0"
        ),
        (
            "- { at: 5 s ± 2 s, appear: vpn0 }\n- { at: 6 s, prefer: vpn0 }",
            "6: at: chance decides whether this comes before vpn0 appears or vanishes (line 5); keep the times apart"
        ),
        (
            "- { at: 5 s, appear: vpn0 }\n- { at: 6 s ± 2 s, prefer: vpn0 }",
            "6: at: chance decides whether this comes before vpn0 appears or vanishes (line 5); keep the times apart"
        ),
        (
            "- { at: 5 s, interface: wifi0, profile: LTE, over: 3 s }\n- { at: 7 s, interface: wifi0, profile: WiFi, over: 3 s }",
            "6: over: wifi0 is still being changed by line 5 until 8 s; ramps on one interface may not overlap"
        ),
        (
            "- { at: 5 s, interface: wifi0, profile: LTE, over: 3 s }\n- { at: 7 s, interface: wifi0, profile: WiFi }",
            "6: over: wifi0 is still being changed by line 5 until 8 s; ramps on one interface may not overlap"
        ),
        (
            "- { at: 5 s ± 1 s, interface: wifi0, profile: LTE, over: 3 s }\n- { at: 8 s, interface: wifi0, profile: WiFi }",
            "6: over: wifi0 is still being changed by line 5 until 9 s; ramps on one interface may not overlap"
        ),
        (
            "- { every: 4 s, interface: wifi0, profile: LTE, over: 1 s, for: 2 s }\n- { at: 10.5 s, interface: wifi0, profile: WiFi }",
            "6: over: wifi0 is still being changed by line 5 until 11 s; ramps on one interface may not overlap"
        ),
        (
            "- { at: 5 s, interface: cell0, set: { down.queue: 9 packets } }\n- { at: 7 s, interface: cell0, set: { down.bandwidth: unlimited } }",
            "6: set.down.queue: nothing queues where no bandwidth limits; give the direction one"
        ),
    ])
    func `of entries together`(entries: String, expected: String) {
        #expect(message { try scenario(timeline: entries) } == "a.yaml:\(expected)")
    }

    @Test(arguments: [
        (
            "{ at: 10 s, prefer: cell0 }",
            "6: at: 10 s is never reached: the timeline begins again every 10 s"
        ),
        (
            "{ at: 9 s ± 2 s, prefer: cell0 }",
            "6: at: 11 s is never reached: the timeline begins again every 10 s"
        ),
        (
            "{ every: 1 s, from: 12 s, prefer: cell0 }",
            "6: from: 12 s is never reached: the timeline begins again every 10 s"
        ),
        (
            "{ every: 1 s, until: 12 s, prefer: cell0 }",
            "6: until: 12 s is never reached: the timeline begins again every 10 s"
        ),
        (
            "{ every: 4 s, prefer: cell0, for: 3 s }",
            "6: for: lasts until 11 s, but the timeline begins again every 10 s; end it earlier"
        ),
        (
            "{ at: 8 s, prefer: cell0, for: 3 s }",
            "6: for: lasts until 11 s, but the timeline begins again every 10 s; end it earlier"
        ),
        (
            "{ at: 8 s, interface: cell0, profile: WiFi, over: 3 s }",
            "6: over: lasts until 11 s, but the timeline begins again every 10 s; end it earlier"
        ),
    ])
    func `of what never happens`(entry: String, expected: String) {
        let text = "repeat: { every: 10 s }\n"
        let body = "timeline:\n  - \(entry)"
        let head = "name: A\ninterfaces:\n  cell0: { profile: LTE }\n"
        #expect(message { try readScenario(head + text + body) } == "a.yaml:\(expected)")
    }

    @Test func `ramps may follow one another, and lie on different interfaces`() throws {
        _ = try scenario(
            timeline: """
                - { at: 5 s, interface: wifi0, profile: LTE, over: 3 s }
                - { at: 8 s, interface: wifi0, profile: WiFi, over: 3 s }
                - { at: 6 s, interface: cell0, profile: WiFi, over: 3 s }
                - { every: 1 s, interface: vpn0, up: true, from: 10 s, until: 11 s }
                - { at: 9 s, appear: vpn0 }
                """)
    }
}
