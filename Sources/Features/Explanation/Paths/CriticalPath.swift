/// What was waited for until a moment, walking back along the packets that were waited for.
///
/// Each packet extends the path of what caused it. So there is one path for each packet under way,
/// and all share their beginnings; those that nothing else waited for disappear with their last
/// packet. The lengths of its waits add up to the time from its start to its end, exactly.
struct CriticalPath {
    /// The last part; nil at the start.
    private(set) var last: Section?
    let start: Duration
    /// Until when.
    private(set) var end: Duration

    /// An empty path.
    init(from start: Duration) {
        (self.start, end) = (start, start)
    }

    /// The path extended to `time` by one wait; times that go back change nothing.
    func extended(to time: Duration, by kind: WaitKind, of owner: Owner) -> CriticalPath {
        guard time > end else { return self }
        var path = self
        let wait = Wait(kind: kind, length: time - end)
        if let last, last.owner == owner, last.parts == nil {
            path.last = Section(
                last.previous, owner, from: last.start, to: time, last.waits, adding: wait)
        } else {
            path.last = Section(last, owner, from: end, to: time, [], adding: wait)
        }
        path.end = time
        return path
    }

    /// The path extended by several waits, one after the other.
    func extended(by waits: some Sequence<Wait>, of owner: Owner) -> CriticalPath {
        waits.reduce(self) { $0.extended(to: $0.end + $1.length, by: $1.kind, of: owner) }
    }

    /// Its sections from the last to the first.
    var sectionsFromEnd: some Sequence<Section> {
        sequence(first: last) { $0?.previous }.lazy.compactMap(\.self)
    }

    /// Whose wait it is.
    struct Owner: Hashable, Sendable {
        /// The number of a connection; nil: the app's.
        var connection: Int?
        /// The number of a request on it; nil: outside of requests, as in a handshake.
        var exchange: Int?

        static let app = Owner()
    }

    /// The waits of one owner in a section of several.
    struct Part: Hashable, Sendable {
        var owner: Owner
        var waits: [Wait]
    }

    /// Waits of the same owner, one after the other, or of several in the old part of a long path.
    final class Section {
        /// More are added up by their kind, in the order of their first.
        private static let mostWaits = 40

        fileprivate(set) var previous: Section?
        fileprivate(set) var owner: Owner
        fileprivate(set) var start: Duration
        let end: Duration
        fileprivate(set) var waits: [Wait]
        /// Whose waits these are, if they are of several: as far as that was kept.
        fileprivate(set) var parts: [Part]?

        fileprivate init(
            _ previous: Section?, _ owner: Owner, from start: Duration, to end: Duration,
            _ earlier: [Wait], adding wait: Wait
        ) {
            self.previous = previous
            self.owner = owner
            self.start = start
            self.end = end
            var waits = earlier
            if waits.last?.kind == wait.kind {
                waits[waits.count - 1].length += wait.length
            } else if waits.count >= Self.mostWaits,
                let index = waits.lastIndex(where: { $0.kind == wait.kind })
            {
                waits[index].length += wait.length
            } else {
                waits.append(wait)
            }
            self.waits = waits
        }

        /// Makes this section begin where `first` does.
        func absorb(from first: Section, _ waits: [Wait], parts: [Part]) {
            self.waits = waits
            start = first.start
            owner = parts.count == 1 ? parts[0].owner : .app
            self.parts = parts.count == 1 ? nil : parts
            var rest = previous
            previous = first.previous
            // One by one, as at the end.
            while isKnownUniquelyReferenced(&rest), let section = rest {
                rest = section.previous
                section.previous = nil
            }
        }

        /// Releases earlier sections one by one: a long path would overflow the stack.
        deinit {
            var rest = previous
            previous = nil
            while isKnownUniquelyReferenced(&rest), let section = rest {
                rest = section.previous
                section.previous = nil
            }
        }
    }
}
