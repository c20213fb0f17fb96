import CYAML

/// libyaml's parser of one text.
@safe
final class YAMLParser {
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    /// The parser reads it until its end, and keeps no copy.
    private let input: UnsafeMutableBufferPointer<UInt8>

    init(_ text: String) throws(YAMLError) {
        unsafe parser = .allocate(capacity: 1)
        let utf8 = text.utf8
        unsafe input = .allocate(capacity: utf8.count)
        _ = unsafe input.initialize(fromContentsOf: utf8)
        guard unsafe yaml_parser_initialize(parser) == 1 else { throw .noMemory }
        // Explicit, since otherwise the first bytes decide.
        unsafe yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        unsafe yaml_parser_set_input_string(parser, input.baseAddress, input.count)
    }

    deinit {
        unsafe yaml_parser_delete(parser)
        unsafe parser.deallocate()
        unsafe input.deallocate()
    }

    /// The next step.
    func next() throws(YAMLError) -> YAMLEvent {
        var event = unsafe yaml_event_t()
        guard unsafe yaml_parser_parse(parser, &event) == 1 else { throw error }
        defer { unsafe yaml_event_delete(&event) }
        return YAMLEvent(
            kind: unsafe Self.kind(of: event), line: unsafe 1 + event.start_mark.line)
    }

    private static func kind(of event: yaml_event_t) -> YAMLEvent.Kind {
        let data = unsafe event.data
        switch unsafe event.type {
        case YAML_SCALAR_EVENT:
            // It may contain NUL, by an escape.
            let bytes = unsafe UnsafeBufferPointer(
                start: data.scalar.value, count: data.scalar.length)
            return .scalar(
                unsafe String(decoding: bytes, as: UTF8.self),
                anchor: unsafe text(data.scalar.anchor))
        case YAML_ALIAS_EVENT: return .alias(unsafe text(data.alias.anchor) ?? "")
        case YAML_SEQUENCE_START_EVENT:
            return .sequenceStart(anchor: unsafe text(data.sequence_start.anchor))
        case YAML_MAPPING_START_EVENT:
            return .mappingStart(anchor: unsafe text(data.mapping_start.anchor))
        case YAML_DOCUMENT_START_EVENT: return .documentStart
        case YAML_DOCUMENT_END_EVENT: return .documentEnd
        case YAML_STREAM_START_EVENT: return .streamStart
        // The parser produces events of no kind after the last one.
        case YAML_STREAM_END_EVENT, YAML_NO_EVENT: return .streamEnd
        default: return .end
        }
    }

    private static func text(_ name: UnsafeMutablePointer<yaml_char_t>?) -> String? {
        unsafe name.map { unsafe String(cString: $0) }
    }

    /// Why it stopped.
    private var error: YAMLError {
        switch unsafe parser.pointee.error {
        case YAML_MEMORY_ERROR: return .noMemory
        case YAML_READER_ERROR:
            let before = unsafe input.prefix(Int(parser.pointee.problem_offset))
            let text = unsafe String(decoding: before, as: UTF8.self)
            return .forbiddenCharacter(line: 1 + text.count(where: \.isNewline))
        default:
            let problem = unsafe parser.pointee.problem.map { unsafe String(cString: $0) }
            return .invalid(
                line: unsafe 1 + parser.pointee.problem_mark.line,
                problem: problem ?? "unknown problem")
        }
    }
}
