import Foundation
import FoundationNetworking
import NetworkPathSession
import Synchronization

/// One request.
struct Combination {
    var probe: NetworkSessionProbe
    var isAllowed: Bool
    var waits: Bool
    var style: Style

    /// How the outcome is received.
    enum Style: String {
        case async, delegate, handler
    }

    func report() async -> Report {
        var report = Report(allowed: isAllowed, waits: waits, delegated: style == .delegate)
        let begin = ContinuousClock.now
        let observer = Observer(options: probe.options)
        let session = NetworkSession(
            configuration: configuration, delegate: style == .async ? nil : observer)
        await requestFirst(by: session)
        do {
            let (body, response) =
                switch style {
                case .async: try await awaited(session, observer)
                case .delegate: try await delegated(session, observer)
                case .handler: try await handled(session)
                }
            report.outcome = "ok"
            report.status = (response as? HTTPURLResponse)?.statusCode
            report.bytes = body
        } catch {
            report.outcome = "\(error.code.rawValue)"
            report.text = error.localizedDescription
            report.reason = error.networkUnavailableReason?.rawValue
            report.canResume = error.downloadTaskResumeData != nil
            if let data = error.downloadTaskResumeData, let path = probe.options["save"] {
                try? data.write(to: URL(filePath: path))
            }
        }
        report.waited = observer.notes.withLock { $0.waits } == 1
        report.resumedAt = observer.notes.withLock { $0.resumedAt }
        report.requests = observer.notes.withLock { $0.metrics }.map(Metrics.init)
        report.seconds = (ContinuousClock.now - begin) / .seconds(1)
        return report
    }

    /// Makes a connection that the session keeps, whatever the network.
    private func requestFirst(by session: NetworkSession) async {
        guard let url = probe.options["first"].flatMap({ URL(string: $0) }) else { return }
        var request = NetworkRequest(url: url)
        request.allowsExpensiveNetworkAccess = true
        request.allowsConstrainedNetworkAccess = true
        _ = try? await session.data(for: request)
        say("first")
        while !FileManager.default.fileExists(atPath: "release") {
            try? await Task.sleep(for: .milliseconds(50))
        }
    }

    private var configuration: NetworkSession.Configuration {
        var configuration = NetworkSession.Configuration.ephemeral
        configuration.allowsCellularAccess = isAllowed
        configuration.allowsExpensiveNetworkAccess = isAllowed
        configuration.allowsConstrainedNetworkAccess = isAllowed
        configuration.waitsForConnectivity = waits
        configuration.temporaryDirectory = URL(filePath: ".")
        if let authorities = probe.options["authorities"] {
            var files = NetworkSession.Configuration.TLSFiles()
            files.authorities = URL(filePath: authorities)
            files.clientCertificate = probe.options["certificate"].map { URL(filePath: $0) }
            files.clientKey = probe.options["key"].map { URL(filePath: $0) }
            configuration.tlsFiles = files
        }
        configuration.movesDownloadsToBetterPath = probe.options["move"] == "yes"
        if let type = probe.options["multipath"]
            .flatMap(NetworkSession.MultipathServiceType.init(rawValue:))
        {
            configuration.multipathServiceType = type
        }
        if let limit = probe.options["resource"].flatMap(Double.init) {
            configuration.timeoutIntervalForResource = limit
        }
        if let limit = probe.options["request"].flatMap(Double.init) {
            configuration.timeoutIntervalForRequest = limit
        }
        return configuration
    }

    private var request: NetworkRequest {
        var request = NetworkRequest(url: probe.url)
        if probe.kind == .upload { request.urlRequest.httpMethod = "POST" }
        if let limit = probe.options["own"].flatMap(Double.init) {
            request.urlRequest.timeoutInterval = limit
        }
        return request
    }

    private var upload: Data {
        Data(repeating: 7, count: probe.options["size"].flatMap(Int.init) ?? 100_000)
    }

    private var resumeData: Data? {
        probe.options["save"].flatMap { try? Data(contentsOf: URL(filePath: $0)) }
    }

    private func awaited(
        _ session: NetworkSession, _ observer: Observer
    ) async throws(URLError) -> (Int, URLResponse) {
        switch probe.kind {
        case .data:
            let (body, response) = try await session.data(for: request, delegate: observer)
            return (body.count, response)
        case .upload:
            let (body, response) =
                if let file = probe.options["file"] {
                    try await session.upload(
                        for: request, fromFile: URL(filePath: file), delegate: observer)
                } else {
                    try await session.upload(for: request, from: upload, delegate: observer)
                }
            return (body.count, response)
        case .download:
            let (file, response) =
                if let resumeData {
                    try await session.download(resumeFrom: resumeData, delegate: observer)
                } else {
                    try await session.download(for: request, delegate: observer)
                }
            return (keep(file), response)
        }
    }

    private func delegated(
        _ session: NetworkSession, _ observer: Observer
    ) async throws(URLError) -> (Int, URLResponse) {
        let task: NetworkSessionTask
        switch probe.kind {
        case .data: task = session.dataTask(with: request)
        case .upload: task = session.uploadTask(with: request, from: upload)
        case .download:
            task =
                if let resumeData {
                    try session.downloadTask(withResumeData: resumeData)
                } else {
                    session.downloadTask(with: request)
                }
        }
        let (body, error) = await observer.end(of: task, keep: keep)
        if probe.options["counts"] == "yes" {
            say("counts \(task.countOfBytesReceived) \(task.countOfBytesSent)")
        }
        if let error { throw error }
        guard let response = task.response else { throw URLError(.badServerResponse) }
        return (body, response)
    }

    private func handled(_ session: NetworkSession) async throws(URLError) -> (Int, URLResponse) {
        let result: Result<(Int, URLResponse), URLError> = await withCheckedContinuation { waiter in
            let end: @Sendable (Int?, URLResponse?, (any Error)?) -> Void = {
                bytes, response, error in
                if let bytes, let response {
                    waiter.resume(returning: .success((bytes, response)))
                } else {
                    waiter.resume(returning: .failure(error as? URLError ?? URLError(.unknown)))
                }
            }
            let task =
                switch probe.kind {
                case .data:
                    session.dataTask(with: request) { end($0?.count, $1, $2) }
                case .upload:
                    session.uploadTask(with: request, from: upload) { end($0?.count, $1, $2) }
                case .download:
                    session.downloadTask(with: request) { end($0.map(keep), $1, $2) }
                }
            task.resume()
        }
        return try result.get()
    }

    /// Moves a download to where it belongs and returns its size.
    private func keep(_ file: URL) -> Int {
        let size = try? FileManager.default.attributesOfItem(atPath: file.path)[.size] as? NSNumber
        if let path = probe.options["to"] {
            try? FileManager.default.moveItem(at: file, to: URL(filePath: path))
        } else {
            try? FileManager.default.removeItem(at: file)
        }
        return size?.intValue ?? -1
    }
}
