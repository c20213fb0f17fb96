import DataPlane
import LinkModel
import LinuxKernel
import PacketEngine
import PacketLoop
import SystemPackage

/// The delivery traces of conditions, for the engine. The client reads them with its own
/// permissions and passes them on as memory files, so that the engine opens no file that somebody
/// names.
final class TraceFiles {
    /// The file of the down direction first; none for a direction without a trace.
    private(set) var descriptors: [FileDescriptor] = []

    fileprivate static let directions: [Direction] = [.down, .up]
    fileprivate static let longest = 256 << 20

    /// Reads the files.
    init(for conditions: LinkConditions) throws(EngineError) {
        do {
            let traces = try LinkTraces(readingFor: conditions)
            for trace in Self.directions.compactMap({ traces[$0] }) {
                descriptors.append(try MemoryFile.open(trace.text))
            }
        } catch let error as TraceFileError {
            throw EngineError(
                error.description, fault: error.isMalformed ? .badFile : .unreadableFile)
        } catch {
            throw EngineError("the delivery traces cannot be handed to the engine: \(error)")
        }
    }

    deinit {
        for descriptor in descriptors { try? descriptor.close() }
    }
}

extension ApplyRequest {
    /// The delivery traces that came with a request. Errors reveal nothing of the files' content.
    func traces(from files: [FileDescriptor]) throws(EngineError) -> LinkTraces {
        let named = TraceFiles.directions.filter { $0.conditions(of: conditions).trace != nil }
        guard named.count == files.count else { throw .unintelligible }
        var traces = LinkTraces()
        for (direction, file) in zip(named, files) {
            guard let text = try? MemoryFile.text(of: file, limit: TraceFiles.longest),
                let trace = try? DeliveryTrace(parsing: text)
            else { throw .unintelligible }
            traces[direction] = trace
        }
        return traces
    }
}
