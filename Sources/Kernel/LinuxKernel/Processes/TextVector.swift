import Glibc

/// Texts as the kernel takes them for a new program: C strings, and NULL after the last one.
@safe
struct TextVector: ~Copyable {
    private let texts: UnsafeMutableBufferPointer<UnsafeMutablePointer<CChar>?>

    init(_ texts: [RawText]) {
        unsafe self.texts = .allocate(capacity: texts.count + 1)
        unsafe self.texts.initialize(repeating: nil)
        for (index, text) in texts.enumerated() {
            unsafe self.texts[index] = strdup(text.bytes + [0])
        }
    }

    /// The environment of this process with these variables added.
    init(environmentWith variables: [String: String]) {
        var texts = variables.map { RawText("\($0)=\($1)") }
        var entry = unsafe environ
        while let text = unsafe entry.pointee {
            let name = unsafe String(cString: text).prefix { $0 != "=" }
            if variables[String(name)] == nil { texts.append(unsafe RawText(text)) }
            unsafe entry += 1
        }
        self.init(texts)
    }

    /// The address of the first text. Valid as long as this value.
    @unsafe
    var address: UnsafePointer<UnsafeMutablePointer<CChar>?>? {
        unsafe UnsafePointer(texts.baseAddress)
    }

    deinit {
        for index in unsafe texts.indices { unsafe free(texts[index]) }
        unsafe texts.deallocate()
    }
}
