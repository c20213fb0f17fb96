import FoundationEssentials
import LinuxKernel

extension GatewayJournal {
    /// Removes the files of gateways whose network namespaces are gone, and all that they have changed
    /// with them: everything was killed at once, and nobody will work the journal off.
    static func removeOrphans(_ environment: [String: String]) {
        for directory in StateDirectory.existing(environment: environment) {
            let orphans = orphans(among: directory.names(), alive: liveNamespaces())
            for file in orphans where isFromHere(directory.read(file)) {
                directory.remove(file + ".hostapd")
                directory.remove(file)
                try? FileManager.default.removeItem(atPath: "\(directory.path)-\(file)")
            }
        }
    }

    /// The journals of namespaces that are not among `alive`; none if that is unknown.
    static func orphans(among files: [String], alive: Set<String>?) -> [String] {
        guard let alive else { return [] }
        let prefix = "gateway-"
        return files.filter { file in
            let inode = file.dropFirst(prefix.count)
            return file.hasPrefix(prefix) && !inode.isEmpty && inode.allSatisfy(\.isNumber)
                && !alive.contains(String(inode))
        }
    }

    /// Whether the processes of the gateway that has written these bytes can be seen from here.
    static func isFromHere(_ bytes: [UInt8]?) -> Bool {
        guard let bytes, let journal = try? JSONDecoder().decode(Self.self, from: Data(bytes)),
            let processes = journal.processes
        else { return true }
        return processes == ownProcesses
    }

    /// The inodes of namespaces with processes or names; nil if it cannot be told.
    private static func liveNamespaces() -> Set<String>? {
        guard let mounts = try? SmallFile.read("/proc/self/mountinfo", limit: 16 << 20),
            let own = try? NetworkNamespace.currentInode()
        else { return nil }
        let processes = SmallFile.names(in: "/proc").filter { $0.allSatisfy(\.isNumber) }
        let links = processes.compactMap { process in
            SmallFile.target(ofLink: "/proc/\(process)/ns/net")
        }
        let names = mounts.split(whereSeparator: \.isWhitespace).filter { $0.hasPrefix("net:[") }
        let inodes = (links + names.map(String.init)).map { $0.filter(\.isNumber) }
        return Set(inodes + ["\(own)"])
    }
}
