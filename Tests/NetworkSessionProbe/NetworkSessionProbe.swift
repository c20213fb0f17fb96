import Foundation
import FoundationNetworking
import NetworkPathSession

/// A client of NetworkPathSession, for tests.
///
///     NetworkSessionProbe data|download|upload URL [OPTION=VALUE...]
///
/// It asks at once for every combination of `allowed`, `waits` and `style` (lists of values, such
/// as `allowed=yes,no`, and `style=async,delegate`), says `waiting` and `began` on lines of their
/// own, `better` and `worse` when a better path is there or gone, and for each what came of it as
/// JSON. `style=handler` uses completion handlers. Other options: `resource` and `request`, time
/// limits of the session in seconds, and `own`, of the request; `size`, of uploads; `save`, a file
/// for resume data, which is used if it is there; `to`, where a download goes; `cancel=yes`, to
/// cancel with resume data once a download began; `credential=USER:PASSWORD`, what challenges are
/// answered with (`challenge=cancel` and `challenge=never` for other answers; each challenge is
/// said as `challenge REALM FAILURES`); `multipath`, the service type; `move=yes`, to move
/// downloads (`moved`); `suspend`, to suspend a task for so many seconds once it began; `file`, a
/// file to upload (`sending`); `first`, a URL to ask before, on any network, and then to wait for the file
/// `release`; `authorities`, `certificate` and `key`, the files of TLS; `counts=yes`, to say
/// what a task with a delegate counted; `again`, how often to ask, after which it says how many
/// threads and descriptors it has.
@main
struct NetworkSessionProbe {
    var kind: Kind
    var url: URL
    var options: [String: String]

    enum Kind: String {
        case data, download, upload
    }

    static func main() async {
        let words = CommandLine.arguments.dropFirst()
        guard let kind = words.first.flatMap(Kind.init),
            let url = words.dropFirst().first.flatMap({ URL(string: $0) })
        else {
            FileHandle.standardError.write(Data("data, download or upload, and a URL\n".utf8))
            exit(64)
        }
        let pairs = words.dropFirst(2).map { $0.split(separator: "=", maxSplits: 1) }
        let options = Dictionary(
            pairs.map { (String($0[0]), String($0.last ?? "")) }, uniquingKeysWith: { $1 })
        let probe = NetworkSessionProbe(kind: kind, url: url, options: options)
        for _ in 0..<(options["again"].flatMap(Int.init) ?? 1) { await probe.run() }
        guard options["again"] != nil else { return }
        // What ends in the background may take a moment.
        try? await Task.sleep(for: .seconds(1))
        for kind in ["task", "fd"] {
            let entries = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/\(kind)")
            say("\(kind) \(entries?.count ?? -1)")
        }
    }

    func run() async {
        await withTaskGroup(of: Void.self) { group in
            for isAllowed in values("allowed", "yes") {
                for waits in values("waits", "no") {
                    for style in values("style", "async") {
                        let one = Combination(
                            probe: self, isAllowed: isAllowed == "yes", waits: waits == "yes",
                            style: Combination.Style(rawValue: style) ?? .async)
                        group.addTask { say(await one.report()) }
                    }
                }
            }
        }
    }

    private func values(_ name: String, _ unsaid: String) -> [String] {
        (options[name] ?? unsaid).split(separator: ",").map(String.init)
    }
}

func say(_ text: String) {
    FileHandle.standardOutput.write(Data((text + "\n").utf8))
}

func say(_ report: Report) {
    say(String(decoding: (try? JSONEncoder().encode(report)) ?? Data(), as: UTF8.self))
}

/// What came of a request.
struct Report: Codable {
    var allowed: Bool
    var waits: Bool
    var delegated: Bool
    /// `ok`, or the number of the error.
    var outcome = ""
    var text: String?
    var status: Int?
    var bytes = 0
    var reason: Int?
    var waited = false
    var resumedAt: Int64?
    var canResume = false
    var seconds = 0.0
    var requests: [Metrics] = []
}

/// What was measured of a request.
struct Metrics: Codable {
    var interface: String?
    var isExpensive: Bool
    var isConstrained: Bool
    var isMultipath: Bool
    var isReused: Bool
    var protocolName: String?
    var status: Int?
    var isOrdered: Bool

    init(_ metrics: NetworkSessionTaskTransactionMetrics) {
        interface = metrics.interfaceName
        (isExpensive, isConstrained) = (metrics.isExpensive, metrics.isConstrained)
        (isMultipath, isReused) = (metrics.isMultipath, metrics.isReusedConnection)
        (protocolName, status) = (metrics.networkProtocolName, metrics.statusCode)
        let dates = [
            metrics.fetchStartDate, metrics.domainLookupEndDate, metrics.connectEndDate,
            metrics.requestStartDate, metrics.responseStartDate, metrics.responseEndDate,
        ].compactMap { $0 }
        isOrdered = dates == dates.sorted()
    }
}
