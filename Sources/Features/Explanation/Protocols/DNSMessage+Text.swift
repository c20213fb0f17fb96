import LinuxKernel

extension DNSMessage {
    /// The type of record asked for, as people write it.
    var typeName: String {
        switch type {
        case 1: "A"
        case 28: "AAAA"
        case 65: "HTTPS"
        case 5: "CNAME"
        case 12: "PTR"
        case 15: "MX"
        case 16: "TXT"
        case 33: "SRV"
        default: "type \(type)"
        }
    }
}
