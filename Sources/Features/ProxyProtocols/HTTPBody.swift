/// How long the body of an HTTP/1 message is (RFC 9112, section 6.3); it is passed on as it is.
public enum HTTPBody: Sendable, Hashable {
    /// So many bytes more.
    case length(UInt64)
    /// Chunks, which say themselves how long they are.
    case chunked(HTTPChunks)
    /// Up to the end of the connection.
    case untilEnd

    /// The body of a request; nil for one whose length cannot be told.
    init?(ofRequest head: HTTPHead) {
        guard let body = Self.told(by: head) else { return nil }
        if case .some(.untilEnd) = body { return nil }
        self = body ?? .length(0)
    }

    /// The body of a response.
    init?(ofResponse head: HTTPHead, status: Int, to method: String) {
        guard method != "HEAD", !(100..<200).contains(status), status != 204, status != 304 else {
            self = .length(0)
            return
        }
        guard let body = Self.told(by: head) else { return nil }
        self = body ?? .untilEnd
    }

    /// What a head says: nil if it contradicts itself, and nil within if it says nothing.
    private static func told(by head: HTTPHead) -> HTTPBody?? {
        let codings = head.words(of: "transfer-encoding")
        let lengths = Set(head.words(of: "content-length"))
        if let last = codings.last {
            // Both: a way to smuggle requests.
            guard lengths.isEmpty else { return nil }
            return .some(.some(last == "chunked" ? .chunked(HTTPChunks()) : .untilEnd))
        }
        guard let length = lengths.first else { return .some(nil) }
        guard lengths.count == 1, length.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let count = UInt64(length)
        else { return nil }
        return .some(.some(.length(count)))
    }

    /// Whether it is over.
    public var isComplete: Bool {
        switch self {
        case .length(let left): left == 0
        case .chunked(let chunks): chunks.isComplete
        case .untilEnd: false
        }
    }

    /// Takes as many of `bytes` as belong to it, and returns how many; nil if they make no sense.
    public mutating func take(_ bytes: ArraySlice<UInt8>) -> Int? {
        switch self {
        case .length(let left):
            let count = Int(min(left, UInt64(bytes.count)))
            self = .length(left - UInt64(count))
            return count
        case .chunked(var chunks):
            guard let count = chunks.take(bytes) else { return nil }
            self = .chunked(chunks)
            return count
        case .untilEnd: return bytes.count
        }
    }
}

/// The position within chunks (RFC 9112, section 7.1).
public struct HTTPChunks: Sendable, Hashable {
    private enum Place: Hashable {
        /// In the line of a size: the size so far, whether its digits are over, and how long it is.
        case size(UInt64, hasEnded: Bool, length: Int)
        /// In a chunk, with so many bytes left, which include the end of its last line.
        case data(UInt64)
        /// In the lines behind the last chunk: the bytes of this line, and of all.
        case trailer(line: Int, length: Int)
        case over
    }

    private var place = Place.size(0, hasEnded: false, length: 0)
    private static let longestLine = 4 << 10

    /// Begins with the first chunk.
    public init() {}

    /// Whether the last chunk and what follows it are over.
    public var isComplete: Bool { place == .over }

    mutating func take(_ bytes: ArraySlice<UInt8>) -> Int? {
        var position = bytes.startIndex
        while position < bytes.endIndex, place != .over {
            if case .data(let left) = place {
                let count = Int(min(left, UInt64(bytes.endIndex - position)))
                position += count
                place =
                    left == UInt64(count)
                    ? .size(0, hasEnded: false, length: 0) : .data(left - UInt64(count))
                continue
            }
            guard read(bytes[position]) else { return nil }
            position += 1
        }
        return position - bytes.startIndex
    }

    private mutating func read(_ byte: UInt8) -> Bool {
        let (carriageReturn, lineFeed) = (UInt8(ascii: "\r"), UInt8(ascii: "\n"))
        switch place {
        case .size(let size, let hasEnded, let length):
            guard length < Self.longestLine else { return false }
            if byte == lineFeed {
                guard length > 0 else { return false }
                // The data is followed by the end of a line.
                place = size == 0 ? .trailer(line: 0, length: 0) : .data(size + 2)
            } else if !hasEnded, let digit = Self.digit(byte) {
                guard size >> 58 == 0 else { return false }
                place = .size(size << 4 | digit, hasEnded: false, length: length + 1)
            } else {
                // Extensions follow a semicolon; nothing stands before the digits.
                guard length > 0 else { return false }
                place = .size(size, hasEnded: true, length: length + 1)
            }
        case .trailer(let line, let length):
            guard length < HTTPHead.longest else { return false }
            if byte == lineFeed {
                place = line == 0 ? .over : .trailer(line: 0, length: length + 1)
            } else {
                let isEnd = byte == carriageReturn
                place = .trailer(line: isEnd ? line : line + 1, length: length + 1)
            }
        case .data, .over: break
        }
        return true
    }

    private static func digit(_ byte: UInt8) -> UInt64? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }
}
