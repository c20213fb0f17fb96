import AssetDownloads
import Synchronization

/// What a user reads of a download.
final class Progress: Sendable {
    private let tenths = Mutex<[String: Int64]>([:])

    /// The line for a report; nil if it says nothing new.
    func line(for report: AssetDownloader.Report) -> String? {
        switch report {
        case .planned(let version, let urgent, let later):
            return "version \(version): \(urgent) bytes now, \(later) bytes later"
        case .progress(let name, let received, let size):
            let tenth = Int64(Double(received) / Double(size) * 10)
            let isNew = tenths.withLock { tenths in
                defer { tenths[name] = tenth }
                return tenths[name] != tenth
            }
            return isNew ? "\(name): \(tenth * 10)%" : nil
        case .waiting(let name): return "\(name): waiting for a network"
        case .installed(let name): return "\(name): there"
        case .removed(let name): return "\(name): removed, since the manifest has it no more"
        case .failed(_, let error): return "\(error)"
        }
    }
}
