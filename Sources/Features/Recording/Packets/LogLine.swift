/// A line of a log; its values are appended in the order of their names.
struct LogLine {
    private let format: PacketLog.Format
    private let names: [String]
    private var count = 0

    init(_ format: PacketLog.Format, names: [String]) {
        self.format = format
        self.names = names
    }

    /// Appends `number` divided by ten to the power of `decimals`.
    mutating func append(_ number: UInt64?, decimals: Int = 0, to buffer: inout ByteBuffer) {
        guard let number = begin(number, &buffer) else { return }
        buffer.append(decimal: number, decimals: decimals)
    }

    mutating func append(_ flag: Bool?, to buffer: inout ByteBuffer) {
        guard let flag = begin(flag, &buffer) else { return }
        buffer.append(flag ? "true" : "false")
    }

    /// Appends a word that needs no quoting.
    mutating func append(_ word: String?, to buffer: inout ByteBuffer) {
        guard let word = begin(word, &buffer) else { return }
        let quote = format == .csv ? "" : "\""
        buffer.append(quote)
        buffer.append(word)
        buffer.append(quote)
    }

    func end(_ buffer: inout ByteBuffer) {
        buffer.append(format == .csv ? "\n" : "}\n")
    }

    /// Appends the text before a value, or the replacement of a missing value.
    private mutating func begin<Value>(_ value: Value?, _ buffer: inout ByteBuffer) -> Value? {
        switch format {
        case .csv:
            if count > 0 { buffer.append(",") }
        case .jsonLines:
            buffer.append(count > 0 ? ",\"" : "{\"")
            buffer.append(names[count])
            buffer.append(value == nil ? "\":null" : "\":")
        }
        count += 1
        return value
    }
}
