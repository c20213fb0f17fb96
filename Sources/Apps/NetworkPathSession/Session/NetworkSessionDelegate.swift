public import Foundation
public import FoundationNetworking

/// The callbacks of a session about its tasks. Equivalent to `URLSessionTaskDelegate`,
/// `URLSessionDataDelegate` and `URLSessionDownloadDelegate` in one; all methods are optional.
///
/// Calls for one task are sequential, except that `betterPathAvailable` may come during another one;
/// those for different tasks may be concurrent. Those about data come from a thread of the session
/// and must return soon: other transfers wait meanwhile.
public protocol NetworkSessionDelegate: AnyObject, Sendable {
    /// The task waits for a network that it may use; called at most once per task. Equivalent to
    /// `urlSession(_:taskIsWaitingForConnectivity:)`.
    func networkSession(
        _ session: NetworkSession, taskIsWaitingForConnectivity task: NetworkSessionTask)

    /// A better network than that of the running transfer is there (true), or is gone again
    /// (false). Equivalent to `NWConnection.betterPathUpdateHandler`. New requests use it by
    /// themselves.
    func networkSession(
        _ session: NetworkSession, task: NetworkSessionTask, betterPathAvailable: Bool)

    /// The server redirects. The request to follow, changed if need be; nil to accept the response
    /// as it is. The rules for networks apply to the new request. Equivalent to
    /// `urlSession(_:task:willPerformHTTPRedirection:newRequest:)`.
    func networkSession(
        _ session: NetworkSession, task: NetworkSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: NetworkRequest
    ) async -> NetworkRequest?

    /// What the task has taken; called right before its end. Equivalent to
    /// `urlSession(_:task:didFinishCollecting:)`.
    func networkSession(
        _ session: NetworkSession, task: NetworkSessionTask,
        didFinishCollecting metrics: NetworkSessionTaskMetrics)

    /// The session was invalidated, and its last task has ended.
    func networkSession(
        _ session: NetworkSession, didBecomeInvalidWithError error: (any Error)?)

    /// The server asks for authentication (status 401, HTTP Basic or Digest). Equivalent to
    /// `urlSession(_:task:didReceive:)` of `URLSessionTaskDelegate`.
    ///
    /// `.useCredential` tries again with the credential; `.performDefaultHandling`, the default
    /// without this method, with that of the configuration's `urlCredentialStorage`. If there is
    /// none, and for `.rejectProtectionSpace`, the response with status 401 is final.
    /// `.cancelAuthenticationChallenge` ends the task with `.cancelled`. A refused credential leads
    /// to another challenge, whose `previousFailureCount` counts the earlier ones.
    func networkSession(
        _ session: NetworkSession, task: NetworkSessionTask,
        didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?)

    /// The response of a data or upload task has begun.
    func networkSession(
        _ session: NetworkSession, task: NetworkSessionTask, didReceive response: URLResponse)

    /// A part of the body of a data or upload task's response.
    func networkSession(
        _ session: NetworkSession, task: NetworkSessionTask, didReceive data: Data)

    /// Bytes of the request's body were sent.
    func networkSession(
        _ session: NetworkSession, task: NetworkSessionTask, didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64, totalBytesExpectedToSend: Int64)

    /// A download that can be resumed writes to this file from now on. Called before the first byte,
    /// and again if it starts over with a new file.
    ///
    /// The resume data remains valid however the download is interrupted. An app that stores it here
    /// loses at most 64 KiB of what it has received when it is killed. Apple's background sessions
    /// do this for apps.
    func networkSession(
        _ session: NetworkSession, downloadTask task: NetworkSessionTask,
        willWriteTo location: URL, resumeData: Data)

    /// A download resumes where it was interrupted; -1 for an unknown size. Not called if it starts
    /// over because the resource has changed.
    func networkSession(
        _ session: NetworkSession, downloadTask task: NetworkSessionTask,
        didResumeAtOffset fileOffset: Int64, expectedTotalBytes: Int64)

    /// Bytes of a download were written; -1 for an unknown size.
    func networkSession(
        _ session: NetworkSession, downloadTask task: NetworkSessionTask,
        didWriteData bytesWritten: Int64, totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64)

    /// A download is complete. The file is removed when this returns unless the app moves it.
    func networkSession(
        _ session: NetworkSession, downloadTask task: NetworkSessionTask,
        didFinishDownloadingTo location: URL)

    /// The task has ended; the error is nil on success. HTTP errors such as 404 count as success.
    func networkSession(
        _ session: NetworkSession, task: NetworkSessionTask,
        didCompleteWithError error: URLError?)
}

extension NetworkSessionDelegate {
    /// Does nothing.
    public func networkSession(
        _ session: NetworkSession, taskIsWaitingForConnectivity task: NetworkSessionTask
    ) {}

    /// Does nothing.
    public func networkSession(
        _ session: NetworkSession, task: NetworkSessionTask, betterPathAvailable: Bool
    ) {}

    /// Follows.
    public func networkSession(
        _ session: NetworkSession, task: NetworkSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: NetworkRequest
    ) async -> NetworkRequest? {
        request
    }

    /// Does nothing.
    public func networkSession(
        _ session: NetworkSession, task: NetworkSessionTask,
        didFinishCollecting metrics: NetworkSessionTaskMetrics
    ) {}

    /// Does nothing.
    public func networkSession(
        _ session: NetworkSession, didBecomeInvalidWithError error: (any Error)?
    ) {}

    /// Uses the configuration's `urlCredentialStorage`.
    public func networkSession(
        _ session: NetworkSession, task: NetworkSessionTask,
        didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        (.performDefaultHandling, nil)
    }

    /// Does nothing.
    public func networkSession(
        _ session: NetworkSession, task: NetworkSessionTask, didReceive response: URLResponse
    ) {}

    /// Does nothing.
    public func networkSession(
        _ session: NetworkSession, task: NetworkSessionTask, didReceive data: Data
    ) {}

    /// Does nothing.
    public func networkSession(
        _ session: NetworkSession, task: NetworkSessionTask, didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) {}

    /// Does nothing.
    public func networkSession(
        _ session: NetworkSession, downloadTask task: NetworkSessionTask,
        willWriteTo location: URL, resumeData: Data
    ) {}

    /// Does nothing.
    public func networkSession(
        _ session: NetworkSession, downloadTask task: NetworkSessionTask,
        didResumeAtOffset fileOffset: Int64, expectedTotalBytes: Int64
    ) {}

    /// Does nothing.
    public func networkSession(
        _ session: NetworkSession, downloadTask task: NetworkSessionTask,
        didWriteData bytesWritten: Int64, totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64
    ) {}

    /// Does nothing.
    public func networkSession(
        _ session: NetworkSession, downloadTask task: NetworkSessionTask,
        didFinishDownloadingTo location: URL
    ) {}

    /// Does nothing.
    public func networkSession(
        _ session: NetworkSession, task: NetworkSessionTask,
        didCompleteWithError error: URLError?
    ) {}
}
