public import Foundation
public import FoundationNetworking

extension NetworkSession {
    /// Performs `request` and returns the body. Equivalent to `URLSession.data(for:delegate:)`.
    ///
    /// - Parameter delegate: Receives progress and waiting callbacks; nil for the session's own
    ///   delegate. Its methods for data and completion are not called.
    /// - Throws: `URLError`; `.cancelled` if the caller's task is cancelled.
    public func data(
        for request: NetworkRequest, delegate: (any NetworkSessionDelegate)? = nil
    ) async throws(URLError) -> (Data, URLResponse) {
        let completion = try await task(request, .data).outcome(delegate: delegate ?? self.delegate)
        return (completion.body, completion.response)
    }

    /// Fetches `url` and returns the body.
    public func data(from url: URL) async throws(URLError) -> (Data, URLResponse) {
        try await data(for: NetworkRequest(url: url))
    }

    /// Downloads to a file, which the caller moves or removes. Equivalent to
    /// `URLSession.download(for:delegate:)`.
    ///
    /// - Throws: `URLError`, with `downloadTaskResumeData` if the download can be resumed.
    public func download(
        for request: NetworkRequest, delegate: (any NetworkSessionDelegate)? = nil
    ) async throws(URLError) -> (URL, URLResponse) {
        try await download(downloadTask(with: request), delegate)
    }

    /// Resumes an interrupted download, like `downloadTask(withResumeData:)`. Equivalent to
    /// `URLSession.download(resumeFrom:delegate:)`.
    public func download(
        resumeFrom data: Data, delegate: (any NetworkSessionDelegate)? = nil
    ) async throws(URLError) -> (URL, URLResponse) {
        try await download(try downloadTask(withResumeData: data), delegate)
    }

    /// Sends `body` and returns the body of the response. Equivalent to
    /// `URLSession.upload(for:from:delegate:)`.
    public func upload(
        for request: NetworkRequest, from body: Data,
        delegate: (any NetworkSessionDelegate)? = nil
    ) async throws(URLError) -> (Data, URLResponse) {
        let completion = try await uploadTask(with: request, from: body)
            .outcome(delegate: delegate ?? self.delegate)
        return (completion.body, completion.response)
    }

    /// Sends a file and returns the body of the response. Equivalent to
    /// `URLSession.upload(for:fromFile:delegate:)`.
    public func upload(
        for request: NetworkRequest, fromFile file: URL,
        delegate: (any NetworkSessionDelegate)? = nil
    ) async throws(URLError) -> (Data, URLResponse) {
        let completion = try await uploadTask(with: request, fromFile: file)
            .outcome(delegate: delegate ?? self.delegate)
        return (completion.body, completion.response)
    }

    private func download(
        _ task: NetworkSessionTask, _ delegate: (any NetworkSessionDelegate)?
    ) async throws(URLError) -> (URL, URLResponse) {
        let completion = try await task.outcome(delegate: delegate ?? self.delegate)
        guard let file = completion.file else {
            throw URLError(.cannotOpenFile, "There is no file.", url: task.originalRequest.url)
        }
        return (file, completion.response)
    }
}
