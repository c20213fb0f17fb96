import SystemPackage

/// The running kernel's description of its own structures, which differ between kernels (BTF).
///
/// The file has a header, then one entry for each type, numbered from 1, and then the names, to
/// which entries refer by their offsets:
/// https://docs.kernel.org/bpf/btf.html
struct KernelTypes {
    /// The file that the kernel offers, with `CONFIG_DEBUG_INFO_BTF`.
    static let path = "/sys/kernel/btf/vmlinux"
    private static let longest = 64 << 20

    private let bytes: [UInt8]
    private let names: Range<Int>
    /// Where the entry of each type begins.
    private let entries: [Int]

    /// Reads the description of the running kernel.
    static func ofKernel() throws(KernelError) -> KernelTypes {
        let bytes: [UInt8]
        do {
            let file = try FileDescriptor.open(FilePath(path), .readOnly, options: [.closeOnExec])
            defer { try? file.close() }
            bytes = try file.readAll(limit: longest)
        } catch {
            throw KernelError(.read, subject: path, errno: error as? Errno ?? .ioError)
        }
        guard let types = KernelTypes(bytes) else {
            throw KernelError(.read, subject: path, errno: .invalidArgument)
        }
        return types
    }

    /// Nil if it is no such description.
    init?(_ bytes: [UInt8]) {
        guard let magic = Self.word(bytes, 0), magic & 0xffff == 0xeb9f,
            let header = Self.word(bytes, 4), let types = Self.word(bytes, 8),
            let typesLength = Self.word(bytes, 12), let names = Self.word(bytes, 16),
            let namesLength = Self.word(bytes, 20)
        else { return nil }
        let first = Int(header) + Int(types)
        let end = first + Int(typesLength)
        self.names = Int(header) + Int(names)..<Int(header) + Int(names) + Int(namesLength)
        guard end <= bytes.count, self.names.upperBound <= bytes.count else { return nil }
        // There is a type without an entry, which has the number 0.
        var entries = [0]
        var place = first
        while place < end {
            guard let kind = Self.word(bytes, place + 4),
                let length = Self.length(kind: kind >> 24 & 31, count: Int(kind & 0xffff))
            else { return nil }
            entries.append(place)
            place += length
        }
        self.bytes = bytes
        self.entries = entries
    }

    /// How far a member is from the beginning of a structure, in bytes; nil if there is none.
    func offset(of member: String, in structure: String) -> UInt32? {
        let place = entries.dropFirst().first { place in
            isStructure(place) && Self.word(bytes, place).map { isName($0, structure) } == true
        }
        return place.flatMap { offset(of: Array(member.utf8), in: $0, depth: 0) }
    }

    /// The same, of a structure that every kernel has.
    func place(of member: String, in structure: String) throws(KernelError) -> UInt32 {
        guard let offset = offset(of: member, in: structure) else {
            throw KernelError(
                .read, subject: "\(structure).\(member) in \(Self.path)",
                errno: .noSuchFileOrDirectory)
        }
        return offset
    }

    /// Searches the members, and those of members that have no names.
    private func offset(of member: [UInt8], in place: Int, depth: Int) -> UInt32? {
        guard let kind = Self.word(bytes, place + 4), depth < 8 else { return nil }
        for number in 0..<Int(kind & 0xffff) {
            let place = place + Self.headLength + 12 * number
            guard let name = Self.word(bytes, place), let type = Self.word(bytes, place + 4),
                let bits = Self.word(bytes, place + 8)
            else { return nil }
            // Where there are fields of bits, the upper byte has their width.
            let offset = (kind >> 31 == 1 ? bits & 0xff_ffff : bits) / 8
            if name != 0 {
                if isName(name, member) { return offset }
            } else if Int(type) < entries.count, isStructure(entries[Int(type)]),
                let inner = self.offset(of: member, in: entries[Int(type)], depth: depth + 1)
            {
                return offset + inner
            }
        }
        return nil
    }

    /// Whether it is the entry of a struct or a union.
    private func isStructure(_ place: Int) -> Bool {
        guard let kind = Self.word(bytes, place + 4) else { return false }
        return [4, 5].contains(kind >> 24 & 31)
    }

    private func isName(_ offset: UInt32, _ text: String) -> Bool {
        isName(offset, Array(text.utf8))
    }

    private func isName(_ offset: UInt32, _ text: [UInt8]) -> Bool {
        let start = names.lowerBound + Int(offset)
        guard start + text.count < names.upperBound else { return false }
        return bytes[start] == text.first && bytes[start + text.count] == 0
            && bytes[start..<start + text.count].elementsEqual(text)
    }

    private static let headLength = 12

    /// The length of an entry with `count` parts; nil for a kind that is not known.
    private static func length(kind: UInt32, count: Int) -> Int? {
        let parts: Int? =
            switch kind {
            // Pointer, forward, typedef, volatile, const, restrict, function, float, type tag.
            case 2, 7, 8, 9, 10, 11, 12, 16, 18: 0
            // Integer, variable, declaration tag.
            case 1, 14, 17: 4
            case 3: 12  // An array.
            case 4, 5, 15, 19: 12 * count  // Struct, union, section, 64-bit enumeration.
            case 6, 13: 8 * count  // Enumeration, the parameters of a function.
            default: nil
            }
        return parts.map { headLength + $0 }
    }

    private static func word(_ bytes: [UInt8], _ offset: Int) -> UInt32? {
        guard offset >= 0, offset + 4 <= bytes.count else { return nil }
        return unsafe bytes.withUnsafeBytes {
            unsafe $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
        }
    }
}
