import LinuxKernel

extension StreamRelay {
    /// Whether everything that the relay has received from the app is delivered.
    var isSettled: Bool { connections.values.allSatisfy(\.isSettled) }

    /// Closes all connections and returns how many of them the app had not closed: their hosts see
    /// a reset, since their stream was not complete.
    func end() -> Int {
        connections.values.count { connection in
            guard case .relaying = connection.phase else {
                // The host has no counterpart yet.
                abort(connection)
                return false
            }
            let isOver = connection.pumps.up.hasFinished
            if isOver { conclude(connection) } else { abort(connection) }
            return !isOver
        }
    }
}

extension StreamRelay.Connection {
    fileprivate var isSettled: Bool {
        // Before that, the app cannot have sent data.
        guard case .relaying(let far) = phase, !pumps.upHasFailed else { return true }
        guard pumps.up.hasFinished || pumps.up.isEmpty && !far.isReadable else { return false }
        // Unacknowledged data is lost if the kernel goes with this process.
        return host.socket.unacknowledged() == 0
    }
}
