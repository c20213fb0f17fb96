/// A user of this host, as the user databases know it.
public struct UserAccount: Sendable, Hashable {
    /// Whom its programs run as.
    public let identity: Program.Identity
    /// The variables that name it and its home directory.
    public let variables: [String: String]

    /// The user with a name or number; nil if there is none in `/etc/passwd`.
    public static func named(_ name: String) -> UserAccount? {
        UserAccount(name, users: text(of: "/etc/passwd"), groups: text(of: "/etc/group"))
    }

    /// The names of the users in `/etc/passwd`.
    public static func names() -> [String] {
        records(text(of: "/etc/passwd")).compactMap { $0.first.map(String.init) }
    }

    static func text(of path: String) -> String {
        (try? SmallFile.read(path, limit: 64 << 20)) ?? ""
    }

    /// Finds a user in the texts of the databases.
    init?(_ name: String, users: String, groups: String) {
        let records = Self.records(users).filter { $0.count > 5 }
        let record = records.first { $0[0] == name } ?? records.first { $0[2] == name }
        guard let record, let user = UInt32(record[2]), let group = UInt32(record[3]) else {
            return nil
        }
        let name = String(record[0])
        identity = Program.Identity(
            user: user, group: group,
            groups: [group] + Self.groups(of: name, groups).filter { $0 != group })
        variables = ["USER": name, "LOGNAME": name, "HOME": String(record[5])]
    }

    /// The groups that list a user.
    static func groups(of name: String, _ groups: String) -> [UInt32] {
        records(groups).compactMap { fields -> UInt32? in
            guard fields.count > 3, fields[3].split(separator: ",").contains(Substring(name)) else {
                return nil
            }
            return UInt32(fields[2])
        }
    }

    /// The fields of each line of a database.
    static func records(_ text: String) -> [[Substring]] {
        text.split(separator: "\n").map {
            $0.split(separator: ":", omittingEmptySubsequences: false)
        }
    }
}

extension Program.Identity {
    /// Whether the caller's user namespace has the user and the group, so that root may become it.
    public var isMapped: Bool {
        [("uid_map", user), ("gid_map", group)].allSatisfy { file, id in
            let map = (try? SmallFile.read("/proc/self/\(file)")) ?? ""
            return map.split(separator: "\n").contains { line in
                let numbers = line.split(separator: " ").compactMap { UInt64($0) }
                return numbers.count == 3 && UInt64(id) >= numbers[0]
                    && UInt64(id) - numbers[0] < numbers[2]
            }
        }
    }
}
