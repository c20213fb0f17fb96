import LinuxKernel

/// Asks the kernel for what takes an interface's packets to the engine, by using it.
public enum HookProbe {
    /// What the kernel or the host lacks, with the way out; nil if the engine can serve interfaces.
    ///
    /// Asks in a network namespace made for that. Requires `CAP_SYS_ADMIN`, for the namespace.
    public static func lack() throws -> EngineError? {
        try NetworkNamespace.withNew { () -> EngineError? in
            guard let tables = try PacketFilterTables.open() else { return .noProgram }
            do {
                try tables.run(commands)
                return nil
            } catch let refusal as PacketFilterTables.Refusal {
                return .noHook(refusal.message)
            }
        }
    }

    private static let commands = """
        add table netdev linkcond { flags owner; }
        add chain netdev linkcond up { type filter hook egress device "lo" priority 0; }
        add rule netdev linkcond up fwd to "lo"
        add chain netdev linkcond down { type filter hook ingress device "lo" priority 0; }
        add rule netdev linkcond down meta mark set 0 accept
        """
}
