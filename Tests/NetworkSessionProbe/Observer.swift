import Foundation
import FoundationNetworking
import NetworkPathSession
import Synchronization

/// Notes what a session tells.
final class Observer: NetworkSessionDelegate {
    struct Notes {
        var waits = 0
        var bytes = 0
        var resumedAt: Int64?
        var hasBegun = false
        var isSending = false
        var metrics: [NetworkSessionTaskTransactionMetrics] = []
        var keep: (@Sendable (URL) -> Int)?
        var end: CheckedContinuation<(Int, URLError?), Never>?
    }

    let notes = Mutex(Notes())
    private let options: [String: String]

    init(options: [String: String]) { self.options = options }

    /// Lets a task run to its end, and returns how much was received.
    func end(
        of task: NetworkSessionTask, keep: @escaping @Sendable (URL) -> Int
    ) async -> (Int, URLError?) {
        await withCheckedContinuation { continuation in
            notes.withLock { ($0.end, $0.keep) = (continuation, keep) }
            task.resume()
        }
    }

    func networkSession(
        _ session: NetworkSession, taskIsWaitingForConnectivity task: NetworkSessionTask
    ) {
        notes.withLock { $0.waits += 1 }
        say("waiting")
    }

    func networkSession(
        _ session: NetworkSession, task: NetworkSessionTask,
        didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        say("challenge \(challenge.protectionSpace.realm ?? "") \(challenge.previousFailureCount)")
        switch options["challenge"] {
        case "cancel": return (.cancelAuthenticationChallenge, nil)
        case "never":
            // Heeds no cancellation either.
            await Task.detached { try? await Task.sleep(for: .seconds(600)) }.value
        default: break
        }
        let words = options["credential"]?.split(separator: ":").map(String.init)
        guard let words, challenge.previousFailureCount < 2 else {
            return (.performDefaultHandling, nil)
        }
        return (
            .useCredential,
            URLCredential(user: words[0], password: words[1], persistence: .forSession)
        )
    }

    func networkSession(
        _ session: NetworkSession, task: NetworkSessionTask, betterPathAvailable: Bool
    ) {
        say(betterPathAvailable ? "better" : "worse")
    }

    func networkSession(
        _ session: NetworkSession, task: NetworkSessionTask,
        didFinishCollecting metrics: NetworkSessionTaskMetrics
    ) {
        notes.withLock { $0.metrics = metrics.transactionMetrics }
    }

    func networkSession(
        _ session: NetworkSession, task: NetworkSessionTask, didReceive data: Data
    ) {
        notes.withLock { $0.bytes += data.count }
    }

    func networkSession(
        _ session: NetworkSession, task: NetworkSessionTask, didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) {
        let isFirst = notes.withLock { notes in
            defer { notes.isSending = true }
            return !notes.isSending
        }
        if isFirst, options["file"] != nil { say("sending") }
    }

    func networkSession(
        _ session: NetworkSession, downloadTask task: NetworkSessionTask,
        didResumeAtOffset fileOffset: Int64, expectedTotalBytes: Int64
    ) {
        notes.withLock { $0.resumedAt = fileOffset }
        if options["move"] == "yes" { say("moved") }
    }

    func networkSession(
        _ session: NetworkSession, downloadTask task: NetworkSessionTask,
        didWriteData bytesWritten: Int64, totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64
    ) {
        let isFirst = notes.withLock { notes in
            defer { notes.hasBegun = true }
            return !notes.hasBegun
        }
        guard isFirst else { return }
        say("began")
        if options["cancel"] == "yes" { Task { await task.cancelByProducingResumeData() } }
        guard let pause = options["suspend"].flatMap(Double.init) else { return }
        task.suspend()
        say("suspended")
        Task {
            try? await Task.sleep(for: .seconds(pause))
            task.resume()
        }
    }

    func networkSession(
        _ session: NetworkSession, downloadTask task: NetworkSessionTask,
        didFinishDownloadingTo location: URL
    ) {
        notes.withLock { notes in notes.bytes = notes.keep?(location) ?? -1 }
    }

    func networkSession(
        _ session: NetworkSession, task: NetworkSessionTask,
        didCompleteWithError error: URLError?
    ) {
        let (end, bytes) = notes.withLock { ($0.end.take(), $0.bytes) }
        end?.resume(returning: (bytes, error))
    }
}
