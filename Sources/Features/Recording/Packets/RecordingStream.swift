import LinuxKernel
import PacketLoop
import SystemPackage

/// A file that is written piece by piece, of which each packet is a whole piece.
///
/// A file that takes no more is cut behind the last piece that it took as a whole, and gets
/// nothing further: so it can be read.
struct RecordingStream: ~Copyable {
    /// More than any piece is long: the longest frame, texts and what stands around them.
    private static let pieceRoom = 128 << 10

    let file: OutputFile
    private let none: PacketCounts
    private var buffer: ByteBuffer
    private var written: Int64 = 0
    /// Packets in the buffer.
    private var pending: PacketCounts
    /// Packets that are in the file.
    private(set) var packets: PacketCounts
    /// Packets that the file did not take.
    private(set) var refused: PacketCounts
    /// Why it takes no more.
    private(set) var failure: Errno?

    /// - Parameter links: on how many links packets are.
    init(_ file: OutputFile, links: Int) throws(KernelError) {
        self.file = file
        none = PacketCounts(links: links)
        (pending, packets, refused) = (none, none, none)
        buffer = try ByteBuffer(capacity: 1 << 20)
    }

    /// Adds a piece that is no packet.
    mutating func append(_ write: (inout ByteBuffer) -> Void) {
        guard failure == nil else { return }
        if buffer.room < Self.pieceRoom { flush() }
        write(&buffer)
    }

    /// Adds a packet.
    mutating func append(_ record: PacketRecord, _ write: (inout ByteBuffer) -> Void) {
        append(write)
        if failure == nil {
            pending[record.link, record.direction] += 1
        } else {
            refused[record.link, record.direction] += 1
        }
    }

    /// Writes what was added.
    mutating func flush() {
        guard failure == nil, !buffer.isEmpty else { return }
        do {
            try buffer.write(to: file.descriptor)
            written += Int64(buffer.count)
            packets.add(pending)
        } catch {
            failure = error
            refused.add(pending)
            // A pipe cannot be cut, and need not be.
            try? file.descriptor.resize(to: written)
        }
        pending = none
        buffer.removeAll()
    }
}
