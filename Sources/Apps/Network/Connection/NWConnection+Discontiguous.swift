public import Dispatch
import FoundationEssentials

extension NWConnection {
    /// Receives content as `receive` does, as `DispatchData`.
    @preconcurrency public func receiveDiscontiguous(
        minimumIncompleteLength: Int, maximumLength: Int,
        completion:
            @escaping @Sendable (
                _ content: DispatchData?, _ contentContext: ContentContext?, _ isComplete: Bool,
                _ error: NWError?
            ) -> Void
    ) {
        receive(minimumIncompleteLength: minimumIncompleteLength, maximumLength: maximumLength) {
            completion($0.map(DispatchData.init(copying:)), $1, $2, $3)
        }
    }

    /// Receives content as `receiveMessage` does, as `DispatchData`.
    @preconcurrency public func receiveMessageDiscontiguous(
        completion:
            @escaping @Sendable (
                _ completeContent: DispatchData?, _ contentContext: ContentContext?,
                _ isComplete: Bool, _ error: NWError?
            ) -> Void
    ) {
        receiveMessage { completion($0.map(DispatchData.init(copying:)), $1, $2, $3) }
    }
}

extension DispatchData {
    /// Copies bytes. Dispatch has no safe way to make one.
    init(copying data: Data) {
        self = unsafe data.withUnsafeBytes { bytes in unsafe DispatchData(bytes: bytes) }
    }
}
