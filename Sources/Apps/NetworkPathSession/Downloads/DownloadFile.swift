import Foundation
import FoundationNetworking
import Synchronization

/// Writes a download to a file, after the part that an earlier download left there.
///
/// The existing part is lost in one case only: when a newer version of the resource has got far
/// enough to be resumable. Whatever else the server answers, the part and its resume data stay.
final class DownloadFile: BodyReceiver {
    private struct State {
        /// The interrupted download being resumed.
        var resumed: ResumedDownload?
        /// The file being written: that of `resumed`, or a new one.
        var file: PartialFile?
        var received: Int64 = 0
        /// How much of the incoming data is in the file already.
        var repeated: Int64 = 0
        var total: Int64?
        var validator: ResumeData.Validator?
        var mediaType: String?
        /// Whether the server refused to send only the rest.
        var asksForWhole = false
        var mustRestart = false
        /// Whether the downloader has gone; a late response must not create another file.
        var isOver = false

        /// Whether it writes to another file than that of `resumed`.
        var hasOwnFile: Bool { file != nil && file?.url != resumed?.file.url }
    }

    /// The progress of the download.
    struct Progress: Sendable {
        var written: Int64
        var received: Int64
        var total: Int64?
    }

    private let request: NetworkRequest
    private let directory: URL
    private let onFile: @Sendable (URL, Data) -> Void
    private let onResume: @Sendable (Progress) -> Void
    private let onWrite: @Sendable (Progress) -> Void
    private let state: Mutex<State>

    /// The most bytes that are received and not in the file yet: what a killed app loses.
    static let blockSize = 64 << 10

    init(
        _ request: NetworkRequest, resuming resumed: ResumedDownload?, in directory: URL,
        onFile: @escaping @Sendable (_ location: URL, _ resumeData: Data) -> Void,
        onResume: @escaping @Sendable (Progress) -> Void,
        onWrite: @escaping @Sendable (Progress) -> Void
    ) {
        (self.request, self.directory) = (request, directory)
        (self.onFile, self.onResume, self.onWrite) = (onFile, onResume, onWrite)
        state = Mutex(State(resumed: resumed))
    }

    /// Whether the server refuses to send the rest, so that the whole must be requested.
    var mustRestart: Bool { state.withLock { $0.mustRestart } }

    /// A request for the missing part of what `request` asks for.
    func remaining(of request: URLRequest) -> URLRequest {
        var request = request
        if request.value(forHTTPHeaderField: "Accept-Encoding") == nil {
            // Ranges count bytes on the wire, which must be those of the file.
            request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        }
        if let resumed = state.withLock({ $0.asksForWhole ? nil : $0.resumed?.data }) {
            request.setValue("bytes=\(resumed.received)-", forHTTPHeaderField: "Range")
            request.setValue(resumed.validator.text, forHTTPHeaderField: "If-Range")
        }
        return request
    }

    /// Prepares to request the rest of an interrupted response; false if it cannot be resumed, in
    /// which case nothing changes.
    func continueByRange() -> Bool {
        state.withLock { state in
            guard let file = state.file, let data = resumeData(file, state) else { return false }
            if state.hasOwnFile { state.resumed?.file.remove() }
            state.resumed = ResumedDownload(data: data, file: file)
            (state.file, state.asksForWhole, state.repeated) = (nil, false, 0)
            return true
        }
    }

    /// Whether an interrupted response could be resumed now.
    var canContinueByRange: Bool {
        state.withLock { state in
            state.file.flatMap { resumeData($0, state) } != nil
                && state.received < state.total ?? .max
        }
    }

    /// Prepares to request the whole resource.
    func restart() {
        state.withLock { ($0.asksForWhole, $0.mustRestart) = (true, false) }
    }

    func begin(_ response: URLResponse) throws(URLError) {
        let (resumption, file, data) = try state.withLock { state throws(URLError) in
            let resumption = try begin(response, &state)
            let file = state.file
            let data = file.flatMap { resumeData($0, state, isGrowing: true) }
            return (resumption, file, data.flatMap { try? JSONEncoder().encode($0) })
        }
        if let file, let data { onFile(file.url, data) }
        if let resumption { onResume(resumption) }
    }

    private func begin(
        _ response: URLResponse, _ state: inout State
    ) throws(URLError) -> Progress? {
        guard !state.isOver else { throw URLError(.cancelled, "It was stopped.", url: request.url) }
        guard let resumed = state.resumed, let response = response as? HTTPURLResponse else {
            try beginAnew(response, &state)
            return nil
        }
        let answer = resumed.data.answer(response, askedForRest: !state.asksForWhole)
        switch answer {
        case .rest(let total), .whole(let total):
            do {
                // The interruption may have been between writing and counting.
                try resumed.file.handle.truncate(atOffset: UInt64(resumed.data.received))
                try resumed.file.handle.seekToEnd()
            } catch {
                throw URLError(.cannotWriteToFile, "\(error)", url: request.url)
            }
            (state.file, state.total) = (resumed.file, total)
            state.received = resumed.data.received
            if case .whole = answer { state.repeated = resumed.data.received }
            (state.validator, state.mediaType) = (resumed.data.validator, resumed.data.mediaType)
            return Progress(written: 0, received: state.received, total: total)
        case .newVersion:
            try beginAnew(response, &state)
            return nil
        case .noSuchPart:
            state.mustRestart = true
            throw URLError(.cannotParseResponse, "The server has no such part.", url: request.url)
        case .somethingElse:
            throw URLError(
                .badServerResponse,
                "The server's answer (status \(response.statusCode)) is not the rest of the file.",
                url: request.url)
        }
    }

    private func beginAnew(_ response: URLResponse, _ state: inout State) throws(URLError) {
        if state.hasOwnFile { state.file?.remove() }
        let http = response as? HTTPURLResponse
        (state.validator, state.mediaType) = (
            http.flatMap(ResumeData.Validator.init), http?.mediaType
        )
        let size = response.expectedContentLength
        (state.total, state.received) = (size < 0 ? nil : size, 0)
        do {
            state.file = try PartialFile.create(in: directory)
        } catch {
            throw error.with(url: request.url)
        }
    }

    func take(_ data: Data) throws(URLError) {
        let progress = try state.withLock { state throws(URLError) -> Progress? in
            let known = min(state.repeated, Int64(data.count))
            state.repeated -= known
            let fresh = data.dropFirst(Int(known))
            guard !fresh.isEmpty else { return nil }
            do {
                try state.file?.append(fresh)
            } catch {
                throw URLError(
                    .cannotWriteToFile,
                    "Cannot write to \(directory.path): \(error).",
                    url: request.url)
            }
            state.received += Int64(fresh.count)
            return Progress(
                written: Int64(fresh.count), received: state.received, total: state.total)
        }
        if let progress { onWrite(progress) }
    }

    /// Whether everything that the server announced has arrived. A part may be smaller than
    /// requested.
    var isComplete: Bool {
        state.withLock { state in
            // Without a validator the sizes may be those of compressed data.
            state.validator == nil || state.total == nil || state.received == state.total
        }
    }

    /// Completes the download and returns the file's location.
    func finish() throws(URLError) -> URL {
        let (file, outdated) = state.withLock { state in
            defer { state.file = nil }
            return (state.file, state.hasOwnFile ? state.resumed?.file : nil)
        }
        guard let file else {
            throw URLError(.cannotOpenFile, "There is no file.", url: request.url)
        }
        do {
            try file.handle.close()
        } catch {
            throw URLError(.cannotCloseFile, "\(error)", url: request.url)
        }
        outdated?.remove()
        return file.url
    }

    /// The resume data of an interrupted download. Nil if it cannot be resumed; then no file is
    /// left.
    func interrupt() -> Data? {
        state.withLock { state in
            state.isOver = true
            let resumed = state.resumed.take()
            let file = state.file.take()
            if let file, let data = encodedResumeData(file, state) {
                if let resumed, resumed.file.url != file.url { resumed.file.remove() }
                try? file.handle.close()
                return data
            }
            if let file, file.url != resumed?.file.url { file.remove() }
            try? resumed?.file.handle.close()
            return resumed.flatMap { try? JSONEncoder().encode($0.data) }
        }
    }

    /// Removes the received data.
    func discard() {
        let files = state.withLock { state in
            state.isOver = true
            return [state.file.take(), state.resumed.take()?.file]
        }
        for case let file? in files { file.remove() }
    }

    private func encodedResumeData(_ file: PartialFile, _ state: State) -> Data? {
        resumeData(file, state).flatMap { try? JSONEncoder().encode($0) }
    }

    /// - Parameter isGrowing: Whether the data is to remain valid while the download goes on.
    private func resumeData(
        _ file: PartialFile, _ state: State, isGrowing: Bool = false
    ) -> ResumeData? {
        guard let url = request.urlRequest.url, request.urlRequest.httpMethod ?? "GET" == "GET",
            let validator = state.validator, state.received > 0 || isGrowing,
            state.received <= state.total ?? .max
        else { return nil }
        let timeout = TimeLimit.wholeSeconds(request.urlRequest.timeoutInterval)
        return ResumeData(
            url: url, headers: request.urlRequest.allHTTPHeaderFields ?? [:],
            timeoutInterval: timeout == TimeLimit.ofRequests ? nil : timeout,
            allowsCellularAccess: request.allowsCellularAccess,
            allowsExpensiveNetworkAccess: request.allowsExpensiveNetworkAccess,
            allowsConstrainedNetworkAccess: request.allowsConstrainedNetworkAccess,
            partial: file.name, received: state.received, total: state.total,
            mediaType: state.mediaType, validator: validator,
            isOfGrowingFile: isGrowing ? true : nil)
    }
}

extension NetworkRequest {
    /// The URL for error messages.
    var url: URL? { urlRequest.url }
}
