import Foundation
import LinuxKernel
import SystemPackage

/// The parts of interrupted downloads, and what is needed to continue with them.
struct PartialAssets: Sendable {
    /// What is stored before the first byte of a download.
    struct Record: Codable, Hashable, Sendable {
        /// The version of this format.
        var format = Record.currentFormat
        /// What is wanted: another size or content in the manifest makes the part worthless.
        var asset: AssetManifest.Asset
        /// The name of the file with the part.
        var part: String
        /// For the session, with the server's version of the file.
        var resumeData: Data

        static let currentFormat = 1
    }

    private let lease: AssetLease
    private static let suffix = ".resume"
    private static let takenPrefix = "taken-"

    init(_ lease: AssetLease) {
        self.lease = lease
    }

    private var directory: URL { lease.directory }

    private func recordFile(_ name: String) -> URL {
        directory.appending(path: name + Self.suffix)
    }

    /// What there is of an asset; nil if nothing, or of another version of it.
    func record(of asset: AssetManifest.Asset) -> Record? {
        guard let record = read(recordFile(asset.name)), record.asset.sha256 == asset.sha256,
            record.asset.size == asset.size
        else { return nil }
        return record
    }

    /// The bytes that are there of an asset.
    func size(of asset: AssetManifest.Asset) -> Int64 {
        guard let record = record(of: asset) else { return 0 }
        return Self.size(partFile(record))
    }

    /// The file with a part.
    func partFile(_ record: Record) -> URL { directory.appending(path: record.part) }

    /// Stores what is needed to continue; the part itself is on disk as well when this returns.
    func store(
        _ asset: AssetManifest.Asset, part: URL, resumeData: Data
    ) throws(AssetError) {
        try lease.check()
        let record = Record(asset: asset, part: part.lastPathComponent, resumeData: resumeData)
        let file = recordFile(asset.name)
        try AssetError.at(file.path) {
            try Disk.write(JSONEncoder().encode(record), to: file, by: directory)
        }
    }

    /// Forgets the part of an asset.
    func remove(_ asset: AssetManifest.Asset) {
        guard let record = read(recordFile(asset.name)) else { return }
        try? FileManager.default.removeItem(at: partFile(record))
        try? FileManager.default.removeItem(at: recordFile(asset.name))
    }

    /// Removes all parts that are of no use for these assets.
    func removeAll(except assets: [AssetManifest.Asset]) {
        var kept: Set<String> = []
        for asset in assets {
            guard let record = record(of: asset) else { continue }
            kept.formUnion([recordFile(asset.name).lastPathComponent, record.part])
        }
        for name in SmallFile.names(in: directory.path)
        where name.hasSuffix(Self.suffix) || Self.isPart(name) {
            guard !kept.contains(name) else { continue }
            try? FileManager.default.removeItem(at: directory.appending(path: name))
        }
    }

    // MARK: Inheritance

    /// Takes the parts of former holders, whose paths lead nowhere from then on.
    func inherit(from own: URL) throws(AssetError) {
        let number = directory.lastPathComponent
        for former in AssetLease.numbers(in: own)
        where AssetLease.work(former, in: own).lastPathComponent != number {
            let taken = directory.appending(path: "\(Self.takenPrefix)\(former)")
            try AssetError.at(taken.path) {
                try Disk.rename(AssetLease.work(former, in: own), to: taken)
            }
            try inheritParts(of: taken)
        }
        // Left by processes that were killed before they had the lease.
        for name in SmallFile.names(in: own.path) where name.hasPrefix("new-") {
            let new = own.appending(path: name)
            // One that is still at it starts again.
            guard AssetLease.holder(of: new) == nil else { continue }
            try? FileManager.default.removeItem(at: new)
        }
    }

    private func inheritParts(of taken: URL) throws(AssetError) {
        let names = SmallFile.names(in: taken.path).sorted()
        // Its holder was killed while it inherited.
        for name in names where name.hasPrefix(Self.takenPrefix) {
            try inheritParts(of: taken.appending(path: name))
        }
        // All parts before any record: this process may be killed in between as well.
        for name in names where Self.isPart(name) {
            let part = taken.appending(path: name)
            try AssetError.at(part.path) {
                try lease.check()
                try move(part, to: directory.appending(path: name))
            }
        }
        for name in names where name.hasSuffix(Self.suffix) {
            let record = taken.appending(path: name)
            try AssetError.at(record.path) {
                try lease.check()
                try Disk.rename(record, to: directory.appending(path: name))
            }
        }
        try? FileManager.default.removeItem(at: taken)
    }

    /// Moves a part, or copies it if a stopped process has it open and may still write to it.
    private func move(_ part: URL, to place: URL) throws {
        guard
            let file = try? FileDescriptor.open(
                FilePath(part.path), .readWrite, options: [.closeOnExec, .noFollow])
        else { return }
        try file.closeAfter {
            if flock(file.rawValue, LOCK_EX | LOCK_NB) == 0 {
                try Disk.rename(part, to: place)
            } else {
                let copy = place.appendingPathExtension("copy")
                // Without space for it, the part is downloaded again.
                guard (try? FileManager.default.copyItem(at: part, to: copy)) != nil else {
                    try? FileManager.default.removeItem(at: copy)
                    return
                }
                try Disk.rename(copy, to: place)
            }
        }
    }

    // MARK: Reading

    /// Anything that this version would not have written is worth nothing; it names no file outside.
    private func read(_ file: URL) -> Record? {
        guard let data = try? Data(contentsOf: file),
            let record = try? JSONDecoder().decode(Record.self, from: data),
            record.format == Record.currentFormat, Self.isPart(record.part),
            AssetManifest.isName(record.asset.name)
        else { return nil }
        return record
    }

    private static func isPart(_ name: String) -> Bool {
        name.hasPrefix("NetworkSession-") && name.hasSuffix(".partial") && !name.contains("/")
    }

    static func size(_ file: URL) -> Int64 {
        (try? FilePath(file.path).stat(followTargetSymlink: false))?.size ?? 0
    }
}
