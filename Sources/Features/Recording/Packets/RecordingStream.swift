import LinuxKernel
import PacketLoop
import SystemPackage

/// A file written in pieces, where each packet is a whole piece.
///
/// When writing fails, the file is truncated after its last whole piece and gets nothing further,
/// so it stays readable.
struct RecordingStream: ~Copyable {
    /// Larger than any piece: the longest frame with texts and overhead.
    private static let pieceRoom = 128 << 10

    let file: OutputFile
    private let none: PacketCounts
    private var buffer: ByteBuffer
    private var written: Int64 = 0
    /// Packets in the buffer.
    private var pending: PacketCounts
    /// Packets in the file.
    private(set) var packets: PacketCounts
    /// Packets that could not be written.
    private(set) var refused: PacketCounts
    /// Why writing stopped.
    private(set) var failure: Errno?

    /// - Parameter links: The number of links.
    init(_ file: OutputFile, links: Int) throws(KernelError) {
        self.file = file
        none = PacketCounts(links: links)
        (pending, packets, refused) = (none, none, none)
        buffer = try ByteBuffer(capacity: 1 << 20)
    }

    /// Appends a piece that is not a packet.
    mutating func append(_ write: (inout ByteBuffer) -> Void) {
        guard failure == nil else { return }
        if buffer.room < Self.pieceRoom { flush() }
        write(&buffer)
    }

    /// Appends a packet.
    mutating func append(_ record: PacketRecord, _ write: (inout ByteBuffer) -> Void) {
        append(write)
        if failure == nil {
            pending[record.link, record.direction] += 1
        } else {
            refused[record.link, record.direction] += 1
        }
    }

    /// Writes the buffer to the file.
    mutating func flush() {
        guard failure == nil, !buffer.isEmpty else { return }
        do {
            try buffer.write(to: file.descriptor)
            written += Int64(buffer.count)
            packets.add(pending)
        } catch {
            failure = error
            refused.add(pending)
            // A pipe cannot be truncated and need not be.
            try? file.descriptor.resize(to: written)
        }
        pending = none
        buffer.removeAll()
    }
}
