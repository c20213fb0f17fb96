import LinuxKernel
import SystemPackage

/// A TCP connection for one question and its answer.
enum BriefStream {
    /// No answer that matters is longer.
    private static let longestAnswer = 1 << 16

    /// Connects, sends a question and reads until the answer is whole, or the other end closes;
    /// fails with what the network said, or `Errno.timedOut`.
    static func exchange(
        with endpoint: Endpoint, _ question: [UInt8], patience: Duration,
        isWhole: ([UInt8]) -> Bool
    ) -> Result<[UInt8], Errno> {
        do {
            return .success(
                try answer(
                    of: endpoint, question, until: KernelClock.monotonic + patience, isWhole))
        } catch {
            return .failure(error)
        }
    }

    private static func answer(
        of endpoint: Endpoint, _ question: [UInt8], until deadline: Duration,
        _ isWhole: ([UInt8]) -> Bool
    ) throws(Errno) -> [UInt8] {
        let stream = try StreamSocket(connectingTo: endpoint)
        let left = deadline - KernelClock.monotonic
        guard Readiness.isWritable(stream.descriptor, within: left) else { throw .timedOut }
        try stream.checkError()
        // The socket's buffer is empty, and has room for all of it.
        _ = try stream.send(question, question.indices)
        var (answer, chunk) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
        while answer.count < longestAnswer, !isWhole(answer) {
            guard Readiness.wait(for: [stream.descriptor], until: deadline) else {
                throw .timedOut
            }
            do {
                let count = try stream.receive(into: &chunk, limit: chunk.count)
                guard count > 0 else { break }
                answer += chunk.prefix(count)
            } catch {
                guard [.wouldBlock, .interrupted].contains(error) else { throw error }
            }
        }
        return answer
    }
}
