public import LinkModel

/// What decides for all verbs alike which data plane carries conditions out, unless it is named.
extension LinkConditions {
    /// Why only the packet engine can; nil if the kernel's qdiscs can as well.
    public var needOfEngine: String? {
        up.trace != nil || down.trace != nil ? "the kernel plays no delivery traces" : nil
    }

    /// Why the packet engine is to do it where there is one; nil if qdiscs do as well.
    public var engineReason: String? {
        if let needOfEngine { return needOfEngine }
        return up.jitter != nil || down.jitter != nil
            ? "netem's jitter grows with the number of packets" : nil
    }
}
