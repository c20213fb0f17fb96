import LinkTesting
import Testing

@testable import LinuxKernel

@Suite("Users of this host", .tags(.unit)) struct UserAccountTests {
    private static func user(_ name: String) -> UserAccount? {
        UserAccount(name, users: InvokingUserTests.users, groups: InvokingUserTests.groups)
    }

    @Test(arguments: ["ann", "1000"])
    func `one is found by its name and its number`(name: String) throws {
        let user = try #require(Self.user(name))
        #expect(user.identity == .init(user: 1000, group: 1000, groups: [1000, 44]))
        #expect(user.variables == ["USER": "ann", "LOGNAME": "ann", "HOME": "/home/ann"])
    }

    @Test func `nobody is found who is not there`() {
        #expect(Self.user("annette") == nil)
        #expect(Self.user("44") == nil)
    }

    @Test func `root exists where this process runs`() {
        #expect(Program.Identity(user: 0, group: 0, groups: []).isMapped)
        #expect(!Program.Identity(user: .max, group: 0, groups: []).isMapped)
    }
}

@Suite("The environment of a program", .tags(.unit)) struct TextVectorTests {
    @Test func `variables are added, and replace those of this process`() throws {
        var program = Program(
            "/bin/sh", ["-c", "[ \"$HOME$LC_ADDED\" = /there-yes ] && [ \"$PATH\" ]"])
        program.variables = ["HOME": "/there", "LC_ADDED": "-yes"]
        #expect(Process.wait(for: try program.start()) == .exited(0))
    }
}
