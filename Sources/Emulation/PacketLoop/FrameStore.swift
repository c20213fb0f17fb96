import LinkModel
import LinkUnits
import LinuxKernel
import Middleboxes
import SystemPackage

/// Stores the bytes of the frames that are on the link.
///
/// Slots have three sizes, each in its own memory region. They are reused, so that no packet needs
/// an allocation. All slots in use together stay below a limit.
struct FrameStore: ~Copyable {
    /// The number of a frame, below 2^20.
    typealias ID = UInt32

    /// Where the bytes of a frame are, and its properties.
    struct Frame {
        fileprivate let slot: Int
        let size: SlotSize
        /// Where the `virtio_net_hdr` begins in the slot.
        fileprivate(set) var start = FrameStore.headroom
        /// The length including the `virtio_net_hdr`.
        fileprivate(set) var count = 0
        /// How many packets of it and copies of them are on the link or in the outbox.
        fileprivate(set) var references = 0
        /// The offset of the IP header in the frame.
        var network = 0
        /// The length of the IP packet.
        var length = 0
        var arrival = Duration.zero
        /// The number of its first packet on the link; nil if it passes at once.
        var number: UInt64?
        var superFrame: SuperFrame?
        /// What happens to it in the middle.
        var passage = Passage.undecided

        /// What happens to a frame in the middle.
        enum Passage: Hashable {
            case undecided
            /// It passes. If it is to be changed there, that is in `changes`.
            case passes
            case stopped(MiddleboxDrop)
            /// It goes back to the app, changed.
            case turnedBack
            /// The middle answers it.
            case answered
        }

        /// The bytes of the frame in the memory, including the `virtio_net_hdr`.
        var range: Range<Int> { slot + start..<slot + start + count }
    }

    // Sizes are odd multiples of a cache line; otherwise all slots would start in the same few
    // cache sets.
    enum SlotSize: Int, CaseIterable {
        /// An Ethernet packet of full size.
        case small = 1728
        /// A jumbo frame, or a small super-packet.
        case medium = 16_448
        /// The longest IP packet with its headers.
        case large = 65_728

        /// The smallest with room for a frame of `count` bytes including its `virtio_net_hdr`.
        static func fitting(_ count: Int) -> SlotSize {
            allCases.first { count <= $0.rawValue - FrameStore.headroom } ?? .large
        }

        fileprivate var index: Int {
            switch self {
            case .small: 0
            case .medium: 1
            case .large: 2
            }
        }
    }

    /// The longest frame, including its `virtio_net_hdr`, that fits into a medium slot.
    static let mediumRoom = SlotSize.medium.rawValue - headroom

    /// Room in front of a frame for an Ethernet header, or a VLAN tag that the kernel removed, or for
    /// what a header of IPv6 and one of its fragments have more than one of IPv4.
    static let headroom = 44

    /// Memory kept when the link is empty, since it would soon be needed again.
    private static let keptBytes = 32 << 20

    var memory: FrameMemory
    private(set) var frames: [Frame] = []
    private var free: [[ID]] = [[], [], []]
    private var carved = [0, 0, 0]
    /// The new addresses of frames that pass the middle, until they are written.
    var changes: [ID: HeaderChange] = [:]
    /// The size of each region.
    private let room: Int
    /// The bytes that all slots in use may have; never more than `room`.
    private var limit: Int
    /// The bytes of all slots in use.
    private(set) var used = 0
    private var peak = 0

    /// Makes an empty store whose slots in use never exceed `limit`, or less where the host promises no
    /// memory that it does not have (`vm.overcommit_memory`).
    init(limit: ByteCount) throws(KernelError) {
        let sizes = SlotSize.allCases.count
        do throws(KernelError) {
            memory = try FrameMemory(reserving: sizes * Int(limit.bytes))
        } catch {
            guard error.errno == .noMemory, limit > PacketMemory.least else { throw error }
            memory = try FrameMemory(reserving: sizes * Int(PacketMemory.least.bytes))
        }
        room = memory.count / sizes
        // What else there is to know costs time, and most links need no more than this.
        self.limit = min(room, Int(PacketMemory.least.bytes))
    }

    /// Allocates a slot with one reference; nil if the limit is reached.
    mutating func take(_ size: SlotSize) -> ID? {
        if used + size.rawValue > limit {
            limit = min(room, Int(PacketMemory.allowed.bytes))
            guard used + size.rawValue <= limit else { return nil }
        }
        let index = size.index
        let id: ID
        if let last = free[index].popLast() {
            id = last
        } else {
            // The number of slots ever created of this size stays below the limit too.
            id = ID(frames.count)
            frames.append(Frame(slot: index * room + carved[index], size: size))
            carved[index] += size.rawValue
        }
        used += size.rawValue
        peak = max(peak, used)
        frames[Int(id)].references = 1
        return id
    }

    subscript(id: ID) -> Frame {
        get { frames[Int(id)] }
        _modify { yield &frames[Int(id)] }
    }

    /// Adds references; each needs its own release.
    mutating func retain(_ id: ID, count: Int = 1) {
        frames[Int(id)].references += count
    }

    /// Drops references; the last one frees the slot.
    mutating func release(_ id: ID, count: Int = 1) {
        frames[Int(id)].references -= count
        guard frames[Int(id)].references == 0 else { return }
        let size = frames[Int(id)].size
        frames[Int(id)].start = Self.headroom
        frames[Int(id)].superFrame = nil
        if frames[Int(id)].passage != .undecided {
            frames[Int(id)].passage = .undecided
            changes[id] = nil
        }
        used -= size.rawValue
        free[size.index].append(id)
    }

    /// Returns memory to the system after a time of much use. Call only when no slot has bytes that
    /// are still needed.
    mutating func forgetBytes() {
        guard peak > Self.keptBytes else { return }
        memory.discard()
        peak = used
    }
}

extension FrameStore {
    /// The room for a frame and its `virtio_net_hdr` in a slot.
    func room(of id: ID) -> Range<Int> {
        let frame = self[id]
        return frame.slot + Self.headroom..<frame.slot + frame.size.rawValue
    }

    /// Makes a frame shorter, or longer, at its start.
    mutating func moveStart(of id: ID, by count: Int) {
        self[id].start += count
        self[id].count -= count
        self[id].length -= count
    }

    /// Sets the length of the frame in a slot.
    mutating func setCount(_ count: Int, of id: ID) {
        self[id].count = count
    }

    /// Reinserts a VLAN tag after the addresses of a frame.
    mutating func insert(etherType: UInt16, control: UInt16, into id: ID) {
        let range = self[id].range
        let width = 4
        let addressesEnd = VirtualHeader.count + 12
        guard range.count >= addressesEnd, self[id].start >= width else { return }
        memory.copy(
            range.lowerBound..<range.lowerBound + addressesEnd, to: range.lowerBound - width)
        self[id].start -= width
        self[id].count += width
        memory.withMutableBytes(in: self[id].range) { bytes in
            bytes.setWord(etherType, at: addressesEnd)
            bytes.setWord(control, at: addressesEnd + 2)
            VirtualHeader.shiftOffsets(by: width, in: &bytes)
        }
    }

    /// Adds an Ethernet header to an IP packet that has none.
    mutating func insertEthernetHeader(to address: [UInt8], into id: ID) {
        let (range, width) = (self[id].range, 14)
        let packet = VirtualHeader.count + width
        guard range.count > VirtualHeader.count, self[id].start >= width else { return }
        memory.copy(
            range.lowerBound..<range.lowerBound + VirtualHeader.count,
            to: range.lowerBound - width)
        self[id].start -= width
        self[id].count += width
        memory.withMutableBytes(in: self[id].range) { bytes in
            for index in 0..<6 {
                bytes[VirtualHeader.count + index] = address[index]
                bytes[VirtualHeader.count + 6 + index] = address[index]
            }
            bytes.setWord(bytes[packet] >> 4 == 6 ? 0x86dd : 0x0800, at: packet - 2)
            VirtualHeader.shiftOffsets(by: width, in: &bytes)
        }
    }

    /// Calls `body` with a frame's `virtio_net_hdr` and its bytes.
    func withFrame<Result>(_ id: ID, _ body: (VirtualHeader, Span<UInt8>) -> Result) -> Result {
        memory.withBytes(in: self[id].range) { bytes in
            body(VirtualHeader(bytes), bytes.extracting(droppingFirst: VirtualHeader.count))
        }
    }
}
