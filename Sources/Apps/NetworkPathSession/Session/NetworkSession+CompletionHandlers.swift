public import Foundation
public import FoundationNetworking

extension NetworkSession {
    /// Receives the body, the response and the error of a data or upload task.
    public typealias DataHandler = @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    /// Receives the file, the response and the error of a download. The file is removed when it
    /// returns unless the app moves it.
    public typealias DownloadHandler = @Sendable (URL?, URLResponse?, (any Error)?) -> Void

    /// A task that passes the whole body to `completionHandler`. It starts with `resume()`.
    public func dataTask(
        with request: NetworkRequest, completionHandler: @escaping DataHandler
    ) -> NetworkSessionTask {
        task(request, .data, Self.handler(completionHandler))
    }

    /// A task that fetches `url` and passes the whole body to `completionHandler`.
    public func dataTask(
        with url: URL, completionHandler: @escaping DataHandler
    ) -> NetworkSessionTask {
        dataTask(with: NetworkRequest(url: url), completionHandler: completionHandler)
    }

    /// A download whose file is passed to `completionHandler`.
    public func downloadTask(
        with request: NetworkRequest, completionHandler: @escaping DownloadHandler
    ) -> NetworkSessionTask {
        task(request, .download(nil), Self.handler(completionHandler))
    }

    /// A download of `url` whose file is passed to `completionHandler`.
    public func downloadTask(
        with url: URL, completionHandler: @escaping DownloadHandler
    ) -> NetworkSessionTask {
        downloadTask(with: NetworkRequest(url: url), completionHandler: completionHandler)
    }

    /// A resumed download whose file is passed to `completionHandler`.
    ///
    /// - Throws: as `downloadTask(withResumeData:)` does.
    public func downloadTask(
        withResumeData data: Data, completionHandler: @escaping DownloadHandler
    ) throws(URLError) -> NetworkSessionTask {
        let (request, resumed) = try resumption(from: data)
        return task(request, .download(resumed), Self.handler(completionHandler))
    }

    /// A task that sends `body` and passes the response to `completionHandler`.
    public func uploadTask(
        with request: NetworkRequest, from body: Data, completionHandler: @escaping DataHandler
    ) -> NetworkSessionTask {
        task(request, .upload(.data(body)), Self.handler(completionHandler))
    }

    /// A task that sends a file and passes the response to `completionHandler`.
    public func uploadTask(
        with request: NetworkRequest, fromFile file: URL, completionHandler: @escaping DataHandler
    ) -> NetworkSessionTask {
        task(request, .upload(.file(file)), Self.handler(completionHandler))
    }

    private static func handler(_ handler: @escaping DataHandler) -> NetworkSessionTask.Handler {
        { outcome in
            switch outcome {
            case .success(let completion): handler(completion.body, completion.response, nil)
            case .failure(let error): handler(nil, nil, error)
            }
        }
    }

    private static func handler(
        _ handler: @escaping DownloadHandler
    ) -> NetworkSessionTask.Handler {
        { outcome in
            switch outcome {
            case .success(let completion):
                handler(completion.file, completion.response, nil)
                if let file = completion.file { try? FileManager.default.removeItem(at: file) }
            case .failure(let error): handler(nil, nil, error)
            }
        }
    }
}
