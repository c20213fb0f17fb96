import LinuxKernel

/// Loads packet filter rules with the program `nft`.
enum NFTables {
    /// Adds the rules in `text` to the calling thread's network namespace. Equivalent to `nft -f
    /// -`.
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
            // nft's message for every command if the kernel has no nftables.
            if result.message.contains("Operation not supported") { throw .noPacketFilter }
            throw .programFailed("nft", message: result.message)
        }
    }
}
