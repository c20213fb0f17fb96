public import HTTPAPI
import Synchronization

/// The overrides of a host alone, for servers of something else: what apps see of its interfaces.
public final class OverrideAPI: Sendable {
    private let face: HostFace
    private let changed = Mutex<Set<String>>([])

    /// Makes the API of a host.
    public init(host: any HostController) {
        face = HostFace(
            host: host, about: HostDescription(name: "", version: "", mayChange: false),
            invite: { "" })
    }

    /// The answer; nil if the path is none of an override's. Who asks has been checked.
    public func respond(to request: APIRequest, _ path: [String]) async throws -> APIResponse? {
        var request = request
        request.headers["content-type"] = "application/json"
        if path == ["v1", "host", "overrides"] { return try await face.respond(to: request, path) }
        guard path.count == 5, path[..<3] == ["v1", "host", "interfaces"], path[4] == "override"
        else { return nil }
        let response = try await face.respond(to: request, path)
        guard response?.status == 200 else { return response }
        switch request.method {
        case "PATCH": _ = changed.withLock { $0.insert(path[3]) }
        case "DELETE": _ = changed.withLock { $0.remove(path[3]) }
        default: break
        }
        return response
    }

    /// Ends the overrides that were set by it.
    public func end() async {
        let interfaces = changed.withLock { $0.sorted() }
        guard !interfaces.isEmpty else { return }
        _ = try? await face.run(["override", "clear"] + interfaces.flatMap { ["-i", $0] })
    }
}
