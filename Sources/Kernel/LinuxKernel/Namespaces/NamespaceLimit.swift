/// The limits of how many namespaces there may be: namespaces(7).
public enum NamespaceLimit {
    /// A setting of the kernel, of which each user namespace has its own.
    public struct Setting: Sendable, Hashable {
        /// The name, such as "user.max_net_namespaces".
        public let key: String
        /// How many namespaces it allows.
        public let most: Int

        /// Makes a setting.
        public init(key: String, most: Int) { (self.key, self.most) = (key, most) }

        /// The setting for people.
        public var text: String { "\(key) is \(most)" }
    }

    private static let keys = ["user", "mnt", "pid", "net"].map { "user.max_\($0)_namespaces" }

    /// Who allows so few wants none. A run takes three networks.
    private static let few = 10

    /// The setting that leaves next to none; nil if none does.
    public static var setting: Setting? {
        setting { try? SmallFile.read("/proc/sys/" + $0.replacing(".", with: "/")) }
    }

    static func setting(reading text: (String) -> String?) -> Setting? {
        let settings = keys.compactMap { key in
            text(key).flatMap { Int($0.filter { !$0.isWhitespace }) }
                .map { Setting(key: key, most: $0) }
        }
        return settings.filter { $0.most < few }.min { $0.most < $1.most }
    }

    /// How to resolve that there may be no more (`ENOSPC`), as the end of a sentence.
    static func hint(_ setting: Setting?) -> String {
        guard let setting else { return "; \(surroundings)" }
        return "; there may be no more namespaces here (\(setting.text)), allow more with "
            + "sudo sysctl -w \(setting.key)=15000"
    }

    /// What to do if no setting here forbids them.
    public static let surroundings =
        "there may be no more namespaces here: leave the sandbox around this program, such as Flatpak's, "
        + "or allow more outside (user.max_user_namespaces and the like)"
}
