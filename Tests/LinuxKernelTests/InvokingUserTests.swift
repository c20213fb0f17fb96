import LinkTesting
import Testing

@testable import LinuxKernel

@Suite("The user behind sudo", .tags(.unit))
struct InvokingUserTests {
    static let users = """
        root:x:0:0:root:/root:/bin/bash
        ann:x:1000:1000:Ann,,,:/home/ann:/bin/bash
        """
    static let groups = """
        root:x:0:
        video:x:44:bob,ann
        ann:x:1000:ann
        annex:x:45:annette
        """

    static func user(_ environment: [String: String]) -> InvokingUser? {
        InvokingUser(environment: environment, users: users, groups: groups)
    }

    @Test func `has the groups and the home of the databases`() throws {
        let user = try #require(
            Self.user(["SUDO_UID": "1000", "SUDO_GID": "1000", "SUDO_USER": "ann"]))
        #expect(user.identity == .init(user: 1000, group: 1000, groups: [1000, 44]))
        #expect(user.variables == ["USER": "ann", "LOGNAME": "ann", "HOME": "/home/ann"])
    }

    @Test func `need not be in the databases`() throws {
        let user = try #require(
            Self.user(["SUDO_UID": "7", "SUDO_GID": "8", "SUDO_USER": "eve"]))
        #expect(user.identity == .init(user: 7, group: 8, groups: [8]))
        #expect(user.variables["HOME"] == nil)
    }

    @Test(arguments: [
        [:], ["SUDO_UID": "0", "SUDO_GID": "0", "SUDO_USER": "root"],
        ["SUDO_UID": "x", "SUDO_GID": "1", "SUDO_USER": "ann"], ["SUDO_UID": "1000"],
    ])
    func `is nobody without sudo, or root`(environment: [String: String]) {
        #expect(Self.user(environment) == nil)
    }
}
