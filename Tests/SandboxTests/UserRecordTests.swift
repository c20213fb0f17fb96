import LinkTesting
import Testing

@testable import Sandbox

@Suite("UserRecord", .tags(.unit))
struct UserRecordTests {
    private let record = UserRecord(user: 4711, group: 12)

    @Test func `a user whom the database knows needs no record`() {
        let text = "root:x:0:0::/root:/bin/sh\nme:x:4711:12::/home/me:/bin/sh\n"
        #expect(record.database(text, environment: [:]) == nil)
    }

    @Test func `an unknown user gets a record of what the environment says`() {
        let text = "root:x:0:0::/root:/bin/sh"
        let environment = ["USER": "me", "HOME": "/home/me", "SHELL": "/bin/bash"]
        #expect(
            record.database(text, environment: environment)
                == text + "\nme:x:4711:12::/home/me:/bin/bash\n")
    }

    @Test func `a record does not take another's name, nor more fields than there are`() {
        let text = "root:x:0:0::/root:/bin/sh\n"
        let environment = ["USER": "root", "HOME": "/a:b"]
        #expect(
            record.database(text, environment: environment)
                == text + "user4711:x:4711:12::/:/bin/sh\n")
    }
}
