package import PacketLoop

/// Why a run was not exact, as its capture says in the comments of its last blocks.
package enum CaptureFlaw {
    /// How such a comment begins, unlike others.
    package static let beginning = "this machine was too busy"

    /// The comment; nil if the run was exact.
    ///
    /// - Parameters:
    ///   - loops: Those of the links.
    ///   - processor: The processor time of the command; nil if that was not looked at.
    ///   - duration: How long the command ran.
    package static func comment(
        _ loops: [LoopStatistics], _ processor: ProcessorUse?, duration: Duration
    ) -> String? {
        let notes = [Faithfulness(loops).note, processor?.note(duration: duration)]
            .compactMap(\.self)
        return notes.isEmpty ? nil : notes.joined(separator: "; ")
    }
}
