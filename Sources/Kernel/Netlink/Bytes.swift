// Generic code here and in the builder accepts any type, although only plain C structures and
// numbers make sense. `BitwiseCopyable` would express that, but with cross-module optimisation
// Swift 6.3 looks for the conformance of a C structure in the C module, does not find it, and
// aborts.

/// Bounds-checked access to values of C types in byte arrays.
extension RandomAccessCollection where Element == UInt8, Index == Int {
    /// The value of a C type at `offset`, or nil if the bytes end before it does.
    func value<Value>(at offset: Int, as _: Value.Type) -> Value? {
        let size = MemoryLayout<Value>.size
        guard offset >= 0, count - offset >= size else { return nil }
        let bytes = Array(dropFirst(offset).prefix(size))
        return unsafe bytes.withUnsafeBytes { unsafe $0.loadUnaligned(as: Value.self) }
    }
}

extension [UInt8] {
    /// Overwrites the bytes at `offset` with those of `value`.
    mutating func setValue<Value>(_ value: Value, at offset: Int) {
        precondition(offset + MemoryLayout<Value>.size <= count, "the value has room")
        unsafe withUnsafeMutableBytes {
            unsafe $0.storeBytes(of: value, toByteOffset: offset, as: Value.self)
        }
    }
}
