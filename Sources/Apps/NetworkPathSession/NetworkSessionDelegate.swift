public import Foundation
public import FoundationNetworking

/// What a session tells of its tasks. Equivalent to `URLSessionTaskDelegate`,
/// `URLSessionDataDelegate` and `URLSessionDownloadDelegate` in one; everything may be left out.
///
/// Calls for one task come one after the other, those for different tasks perhaps at once.
public protocol NetworkSessionDelegate: AnyObject, Sendable {
    /// The task waits until there is a network that it may use; once per task at most. Equivalent
    /// to `urlSession(_:taskIsWaitingForConnectivity:)`.
    func networkSession(
        _ session: NetworkSession, taskIsWaitingForConnectivity task: NetworkSessionTask)

    /// The server asks who it is (status 401, HTTP Basic). Equivalent to
    /// `urlSession(_:task:didReceive:)` of `URLSessionTaskDelegate`.
    ///
    /// `.useCredential` asks again with the credential; `.performDefaultHandling`, which is what
    /// sessions without this method do, with that of the configuration's `urlCredentialStorage`.
    /// Where there is none, and for `.rejectProtectionSpace`, the response with its status 401 is
    /// the answer. `.cancelAuthenticationChallenge` ends the task with `.cancelled`. A credential
    /// that was refused leads to another challenge, whose `previousFailureCount` says how many
    /// there were before.
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

    /// A download goes on where it was cut; -1 for a size that is not known. It may also begin
    /// anew, if the resource has changed: then this is not called.
    func networkSession(
        _ session: NetworkSession, downloadTask task: NetworkSessionTask,
        didResumeAtOffset fileOffset: Int64, expectedTotalBytes: Int64)

    /// Bytes of a download were written; -1 for a size that is not known.
    func networkSession(
        _ session: NetworkSession, downloadTask task: NetworkSessionTask,
        didWriteData bytesWritten: Int64, totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64)

    /// A download is complete. The file is removed when this returns, unless it was moved.
    func networkSession(
        _ session: NetworkSession, downloadTask task: NetworkSessionTask,
        didFinishDownloadingTo location: URL)

    /// The task has ended; nil if all is well. Errors of servers, such as 404, are none.
    func networkSession(
        _ session: NetworkSession, task: NetworkSessionTask,
        didCompleteWithError error: URLError?)
}

extension NetworkSessionDelegate {
    /// Does nothing.
    public func networkSession(
        _ session: NetworkSession, taskIsWaitingForConnectivity task: NetworkSessionTask
    ) {}

    /// Leaves it to the configuration's `urlCredentialStorage`.
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
