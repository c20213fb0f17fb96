package import JSONReading

/// Versions of what controllers set, by which one notices that another has changed it.
package enum Version {
    /// The version: equal for equal content. FNV-1a with 64 bits.
    package static func of(_ members: [JSONMember]) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in JSONValue.object(members).description.utf8 {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
        }
        return String(hash, radix: 16)
    }
}

extension APIRequest {
    /// Refuses a change of something that is not any more as the client has seen it (RFC 9110,
    /// section 13.1.1).
    package func expect(_ version: String) throws(APIError) {
        guard let condition = headers["if-match"] else { return }
        let wanted = condition.split(separator: ",").map { tag in
            tag.drop { $0 == " " }.filter { $0 != " " }
        }
        guard !wanted.contains("*"), !wanted.contains("\"\(version)\"") else { return }
        throw APIError(
            412,
            "another controller has changed it: its version is \"\(version)\", not \(condition); "
                + "read it again")
    }
}
