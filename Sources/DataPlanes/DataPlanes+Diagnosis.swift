public import Conditioner
import EngineService
import LinuxKernel

extension DataPlanes {
    /// What the host can do, and how to get what it lacks.
    public static func diagnosis() -> Diagnosis {
        let host = Diagnosis.ofThisHost()
        let name = "apply by the engine"
        do {
            let answer = try HookProbe.run()
            if let lack = answer.lack {
                return host.adding(
                    name, host.servesKernelPlane ? .limited : .missing, lack.description,
                    fix: answer.lackOfTables == .noProgram ? "sudo apt install nftables" : nil)
            }
            let way = answer.lackOfTables == nil ? "nftables" : "filters of tc"
            var diagnosis = host.adding(
                name, .ok, "\(way) can send an interface's packets to it", fix: nil)
            diagnosis.servesInterfacesByEngine = Privilege.mayChangeNetwork
            return diagnosis
        } catch {
            return host.adding(
                name, .limited, "asking the kernel takes the right to make a network namespace",
                fix: "Run it as root: sudo linkcond doctor")
        }
    }
}
