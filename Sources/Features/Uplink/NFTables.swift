import LinuxKernel

/// Rules of the kernel's packet filter, by way of the program `nft`.
enum NFTables {
    /// Adds what `text` says to the network namespace of the calling thread. Equivalent to
    /// `nft -f -`.
    static func load(_ text: String) throws(UplinkError) {
        guard let program = HelperProgram.path(of: "nft") else {
            throw .missingProgram("nft", package: "nftables")
        }
        let result: HelperProgram.Result
        do {
            result = try HelperProgram.run(
                program, ["-f", "-"], input: text, patience: PacketFilterTables.patience)
        } catch {
            throw .system(attempt: "start \(program)", error.errno)
        }
        guard result.exitCode == 0 else {
            // What it says of every command when the kernel knows no tables at all.
            if result.message.contains("Operation not supported") { throw .noPacketFilter }
            throw .programFailed("nft", message: result.message)
        }
    }
}
