import LinuxKernel

/// TCP packets of one connection, or UDP datagrams of one flow, that leave together, one after the
/// other, and so can leave as a super-packet.
///
/// The receiver's kernel takes a super-packet in as fast as a few packets.
struct SegmentTrain {
    /// The frame of the first packet, or that with all packets if there are several.
    private(set) var frame: FrameStore.ID
    private(set) var count = 1
    /// When the first should leave.
    let due: Duration?
    private let first: JoinableSegment
    private var length: Int
    private var isEnded: Bool
    private var isPushed: Bool

    /// Starts with one packet; nil if no other can join it.
    init?(_ frame: FrameStore.ID, due: Duration?, _ store: borrowing FrameStore) {
        guard let segment = store.joinableSegment(frame),
            segment.tcp != nil || KernelRelease.running.carriesDatagramTrains
        else { return nil }
        self.frame = frame
        self.due = due
        first = segment
        length = segment.payload.count
        isPushed = segment.tcp?.isPushed == true
        isEnded = isPushed
    }

    /// Adds a packet, and takes over its reference; false if it does not belong here.
    mutating func join(_ other: FrameStore.ID, _ store: inout FrameStore) -> Bool {
        guard !isEnded, count < first.mostPackets, let segment = store.joinableSegment(other),
            length + segment.payload.count <= first.mostData,
            store.withFrame(
                frame,
                { virtual, bytes in
                    store.withFrame(other) { otherVirtual, otherBytes in
                        first.isFollowed(
                            bytes, by: segment, otherBytes, distance: count, bytes: length)
                            && (count > 1 || first.isIntact(virtual, bytes))
                            && segment.isIntact(otherVirtual, otherBytes)
                    }
                }),
            count > 1 || makeRoom(&store)
        else { return false }
        let data = store[other].range.lowerBound + VirtualHeader.count
        store.memory.copy(
            data + segment.payload.lowerBound..<data + segment.payload.upperBound,
            to: store[frame].range.lowerBound + VirtualHeader.count + first.payload.lowerBound
                + length)
        store.release(other)
        count += 1
        length += segment.payload.count
        isPushed = segment.tcp?.isPushed == true
        isEnded = isPushed || segment.payload.count < first.payload.count
        return true
    }

    /// Moves the first packet where the others have room behind it.
    private mutating func makeRoom(_ store: inout FrameStore) -> Bool {
        guard let target = store.take(.large) else { return false }
        let source = store[frame]
        store.memory.copy(source.range, to: store.room(of: target).lowerBound)
        store.setCount(VirtualHeader.count + first.payload.upperBound, of: target)
        (store[target].network, store[target].arrival) = (source.network, source.arrival)
        store.release(frame)
        frame = target
        return true
    }

    /// Ends it: `frame` is what is to be sent, with a reference for each packet.
    func finish(_ store: inout FrameStore) {
        guard count > 1 else { return }
        let headers = VirtualHeader.count + first.payload.lowerBound
        store.setCount(headers + length, of: frame)
        store[frame].length = first.payload.lowerBound - first.network + length
        store.retain(frame, count: count - 1)
        store.memory.withMutableBytes(in: store[frame].range) { bytes in
            first.makeSuperFrame(length: length, isPushed: isPushed, in: &bytes)
        }
    }
}

extension FrameStore {
    /// The packet of a frame that can join others; nil if it can't.
    fileprivate func joinableSegment(_ id: ID) -> JoinableSegment? {
        guard changes.isEmpty || changes[id] == nil else { return nil }
        return withFrame(id) { virtual, frame in
            JoinableSegment(virtual, frame, network: self[id].network)
        }
    }
}
