import ProxyControl

/// Counters in the text format of Prometheus, under Toxiproxy's names.
enum Metrics {
    static func text(of state: ProxyState) -> String {
        let listeners = state.listeners.filter { $0.upstream != nil }
        var lines: [String] = []
        for (name, help) in [
            ("received", "The total number of bytes received on a given proxy link"),
            ("sent", "The total number of bytes sent on a given proxy link"),
        ] {
            let metric = "toxiproxy_proxy_\(name)_bytes_total"
            lines += ["# HELP \(metric) \(help)", "# TYPE \(metric) counter"]
            for listener in listeners {
                for (direction, bytes) in [
                    ("downstream", listener.counters.downstreamBytes),
                    ("upstream", listener.counters.upstreamBytes),
                ] {
                    let labels = [
                        ("direction", direction), ("listener", listener.address),
                        ("proxy", listener.name), ("upstream", listener.upstream ?? ""),
                    ].map { "\($0)=\"\(escaped($1))\"" }.joined(separator: ",")
                    lines.append("\(metric){\(labels)} \(bytes)")
                }
            }
        }
        return lines.map { $0 + "\n" }.joined()
    }

    private static func escaped(_ text: String) -> String {
        text.map { character in
            switch character {
            case "\\": "\\\\"
            case "\"": "\\\""
            case "\n": "\\n"
            default: String(character)
            }
        }.joined()
    }
}
