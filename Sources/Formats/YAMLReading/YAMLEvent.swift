/// A step of the parser through a document.
struct YAMLEvent {
    enum Kind {
        case scalar(String, anchor: String?)
        case alias(String)
        case sequenceStart(anchor: String?)
        case mappingStart(anchor: String?)
        case end
        case documentStart
        case documentEnd
        case streamStart
        case streamEnd
    }

    let kind: Kind
    /// Where it begins.
    let line: Int
}
