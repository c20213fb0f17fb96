import Foundation
import FoundationNetworking
import NetworkPathSession
import Synchronization

/// Watches a download: stores what is needed to continue before the first byte, and stops it as soon
/// as it cannot be right.
final class DownloadWatch: NetworkSessionDelegate {
    /// The most bytes of the file.
    private let limit: Int64
    /// The exact size, if known.
    private let size: Int64?
    private let lease: AssetLease
    private let onFile: @Sendable (URL, Data) throws -> Void
    private let onWait: @Sendable () -> Void
    private let onProgress: @Sendable (Int64) -> Void
    private let problem = Mutex<AssetError?>(nil)
    private let name: String

    init(
        _ name: String, size: Int64?, limit: Int64, _ lease: AssetLease,
        onFile: @escaping @Sendable (URL, Data) throws -> Void = { _, _ in },
        onWait: @escaping @Sendable () -> Void = {},
        onProgress: @escaping @Sendable (Int64) -> Void = { _ in }
    ) {
        (self.name, self.size, self.limit, self.lease) = (name, size, limit, lease)
        (self.onFile, self.onWait, self.onProgress) = (onFile, onWait, onProgress)
    }

    /// Why it was stopped here.
    var error: AssetError? { problem.withLock { $0 } }

    func networkSession(
        _ session: NetworkSession, taskIsWaitingForConnectivity task: NetworkSessionTask
    ) { onWait() }

    func networkSession(
        _ session: NetworkSession, downloadTask task: NetworkSessionTask,
        willWriteTo location: URL, resumeData: Data
    ) {
        do {
            try onFile(location, resumeData)
        } catch {
            stop(task, error as? AssetError ?? .storage(path: location.path, "\(error)"))
        }
    }

    func networkSession(
        _ session: NetworkSession, downloadTask task: NetworkSessionTask,
        didWriteData bytesWritten: Int64, totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64
    ) {
        let isAnswer = [200, 206].contains((task.response as? HTTPURLResponse)?.statusCode)
        if !lease.isValid {
            stop(task, .leaseLost)
        } else if isAnswer, let size, totalBytesExpectedToWrite >= 0,
            totalBytesExpectedToWrite != size
        {
            stop(
                task,
                .wrongSize(name: name, expected: size, found: totalBytesExpectedToWrite))
        } else if totalBytesWritten > limit {
            stop(task, .wrongSize(name: name, expected: limit, found: totalBytesWritten))
        } else if isAnswer {
            onProgress(totalBytesWritten)
        }
    }

    /// Ends the download. Its part is discarded with it, unless the lease is lost: then it is
    /// another process's.
    private func stop(_ task: NetworkSessionTask, _ error: AssetError) {
        problem.withLock { $0 = $0 ?? error }
        task.cancel()
    }
}
