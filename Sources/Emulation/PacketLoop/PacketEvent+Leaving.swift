import PacketEngine

extension PacketEvent {
    /// Whether the packet leaves at the far end.
    var leaves: Bool {
        switch verdict {
        case .delivered, .corrupted: true
        case .queueFull, .managed, .lost: false
        }
    }
}
