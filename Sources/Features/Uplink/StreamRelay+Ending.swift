import LinuxKernel

extension StreamRelay {
    /// Whether nothing of what the app has sent is still to be delivered, as far as it has come to
    /// the relay.
    var isSettled: Bool { connections.values.allSatisfy(\.isSettled) }

    /// Ends all connections, and returns how many of them the app had not ended: their hosts see a
    /// reset, not the end of a stream that was to go on.
    func end() -> Int {
        connections.values.count { connection in
            guard case .relaying = connection.phase else {
                // The host is connected with nobody.
                abort(connection)
                return false
            }
            let isOver = connection.up.hasFinished
            if isOver { drop(connection) } else { abort(connection) }
            return !isOver
        }
    }
}

extension StreamRelay.Connection {
    fileprivate var isSettled: Bool {
        // Before that the app cannot have sent anything.
        guard case .relaying(let far) = phase else { return true }
        guard up.hasFinished || up.isEmpty && !far.isReadable else { return false }
        // The rest is the host's kernel, which may go with this process.
        return host.socket.unacknowledged() == 0
    }
}
