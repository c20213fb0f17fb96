import Foundation
import FoundationNetworking
import Synchronization

/// Writes a download to a file, behind what an earlier download has left there.
final class DownloadFile: BodyReceiver {
    private struct State {
        /// What is to be gone on with.
        var resumed: ResumeData?
        var file: (url: URL, handle: FileHandle)?
        var received: Int64 = 0
        var total: Int64?
        var validator: ResumeData.Validator?
        var mustRestart = false
        /// Whether whoever downloads has gone; a late response may not make another file.
        var isOver = false
    }

    /// How far it is.
    struct Progress: Sendable {
        var written: Int64
        var received: Int64
        var total: Int64?
    }

    private let request: NetworkRequest
    private let directory: URL
    private let onResume: @Sendable (Progress) -> Void
    private let onWrite: @Sendable (Progress) -> Void
    private let state: Mutex<State>

    init(
        _ request: NetworkRequest, resuming resumed: ResumeData?, in directory: URL,
        onResume: @escaping @Sendable (Progress) -> Void,
        onWrite: @escaping @Sendable (Progress) -> Void
    ) {
        (self.request, self.directory) = (request, directory)
        (self.onResume, self.onWrite) = (onResume, onWrite)
        state = Mutex(State(resumed: resumed.flatMap { Self.isThere($0) ? $0 : nil }))
    }

    /// Whether the server does not give the rest, so that the whole has to be asked for.
    var mustRestart: Bool { state.withLock { $0.mustRestart } }

    /// The request for what is missing.
    var remainingRequest: URLRequest {
        var request = request.urlRequest
        if request.value(forHTTPHeaderField: "Accept-Encoding") == nil {
            // Ranges count the bytes in transit; they have to be those of the file.
            request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        }
        if let resumed = state.withLock({ $0.resumed }) {
            request.setValue("bytes=\(resumed.received)-", forHTTPHeaderField: "Range")
            request.setValue(resumed.validator.text, forHTTPHeaderField: "If-Range")
        }
        return request
    }

    /// Prepares to ask for the whole.
    func restart() {
        state.withLock { state in
            state.resumed = nil
            state.mustRestart = false
        }
    }

    func begin(_ response: URLResponse) throws(URLError) {
        let resumption = try state.withLock { state throws(URLError) in
            try begin(response, &state)
        }
        if let resumption { onResume(resumption) }
    }

    private func begin(_ response: URLResponse, _ state: inout State) throws(URLError) -> Progress?
    {
        guard !state.isOver else { throw URLError(.cancelled, "It was stopped.", url: request.url) }
        let response = response as? HTTPURLResponse
        state.validator = response.flatMap(ResumeData.Validator.init)
        guard let resumed = state.resumed, let response, [206, 416].contains(response.statusCode)
        else {
            let size = response?.expectedContentLength ?? -1
            state.total = size >= 0 ? size : nil
            state.received = 0
            state.file = try create()
            return nil
        }
        let range = response.value(forHTTPHeaderField: "Content-Range")
            .flatMap(ContentRange.init)
        guard response.statusCode == 206, let range, range.start == resumed.received,
            resumed.total == nil || range.total == nil || range.total == resumed.total,
            state.validator == nil || state.validator == resumed.validator
        else {
            state.mustRestart = true
            throw URLError(.cannotParseResponse, "The server has no such part.", url: request.url)
        }
        state.validator = resumed.validator
        state.total = range.total ?? resumed.total
        state.received = resumed.received
        do {
            let handle = try FileHandle(forWritingTo: resumed.file)
            // The cut may have been between writing and counting.
            try handle.truncate(atOffset: UInt64(resumed.received))
            try handle.seekToEnd()
            state.file = (resumed.file, handle)
        } catch {
            throw URLError(.cannotOpenFile, "\(error)", url: request.url)
        }
        return Progress(written: 0, received: state.received, total: state.total)
    }

    private func create() throws(URLError) -> (URL, FileHandle) {
        let url = directory.appending(path: "NetworkSession-\(UUID().uuidString).partial")
        do {
            try Data().write(to: url, options: .withoutOverwriting)
            return (url, try FileHandle(forWritingTo: url))
        } catch {
            throw URLError(.cannotCreateFile, "\(error)", url: request.url)
        }
    }

    func take(_ data: Data) throws(URLError) {
        let progress = try state.withLock { state throws(URLError) in
            do {
                try state.file?.handle.write(contentsOf: data)
            } catch {
                throw URLError(.cannotWriteToFile, "\(error)", url: request.url)
            }
            state.received += Int64(data.count)
            return Progress(
                written: Int64(data.count), received: state.received, total: state.total)
        }
        onWrite(progress)
    }

    /// Whether what the server has announced is there. A part may be smaller than was asked for.
    var isComplete: Bool {
        state.withLock { state in
            // Without a validator the sizes may be those of compressed bytes.
            state.validator == nil || state.total == nil || state.received == state.total
        }
    }

    /// The whole is there: where it is.
    func finish() throws(URLError) -> URL {
        let (file, resumed) = state.withLock { state in
            defer { state.file = nil }
            return (state.file, state.resumed)
        }
        guard let file else {
            throw URLError(.cannotOpenFile, "There is no file.", url: request.url)
        }
        do {
            try file.handle.close()
        } catch {
            throw URLError(.cannotCloseFile, "\(error)", url: request.url)
        }
        if let resumed, resumed.file != file.url { Self.remove(resumed.file) }
        return file.url
    }

    /// The download was cut: what is needed to go on with it. Nil if there is nothing to go on
    /// with; then the file is gone.
    func interrupt() -> Data? {
        state.withLock { state in
            state.isOver = true
            guard let file = state.file.take() else {
                return state.resumed.flatMap { try? JSONEncoder().encode($0) }
            }
            try? file.handle.close()
            guard let data = resumeData(file.url, state) else {
                Self.remove(file.url)
                return nil
            }
            return data
        }
    }

    /// Removes what was received.
    func discard() {
        let files = state.withLock { state in
            state.isOver = true
            defer { (state.file, state.resumed) = (nil, nil) }
            try? state.file?.handle.close()
            return [state.file?.url, state.resumed?.file]
        }
        for case let file? in files { Self.remove(file) }
    }

    private func resumeData(_ file: URL, _ state: State) -> Data? {
        guard let url = request.urlRequest.url, request.urlRequest.httpMethod ?? "GET" == "GET",
            let validator = state.validator, state.received > 0
        else { return nil }
        let timeout = request.urlRequest.timeoutInterval
        let data = ResumeData(
            url: url, headers: request.urlRequest.allHTTPHeaderFields ?? [:],
            timeoutInterval: timeout == URLRequest(url: url).timeoutInterval ? nil : timeout,
            allowsCellularAccess: request.allowsCellularAccess,
            allowsExpensiveNetworkAccess: request.allowsExpensiveNetworkAccess,
            allowsConstrainedNetworkAccess: request.allowsConstrainedNetworkAccess, file: file,
            received: state.received, total: state.total, validator: validator)
        return try? JSONEncoder().encode(data)
    }

    private static func isThere(_ resumed: ResumeData) -> Bool {
        let attributes = try? FileManager.default.attributesOfItem(atPath: resumed.file.path)
        return (attributes?[.size] as? NSNumber).map { $0.int64Value >= resumed.received } ?? false
    }

    private static func remove(_ file: URL) {
        try? FileManager.default.removeItem(at: file)
    }
}

extension NetworkRequest {
    /// What errors name.
    var url: URL? { urlRequest.url }
}
