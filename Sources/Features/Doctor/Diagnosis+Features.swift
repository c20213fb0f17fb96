import DataPlane
import EnginePlane
import KernelPlane
import LinkModel
import LinkUnits
import LinuxKernel
import Multipath

extension Diagnosis {
    /// Adds the choice of data plane, made as every command makes it.
    mutating func addChoice() {
        guard isOfRoot, let kernel = try? KernelPlane(environment: [:]) else { return }
        let way = DirectionConditions(bandwidth: .megabitsPerSecond(10), delay: .milliseconds(50))
        let demand = PlaneDemand([LinkConditions(down: way, up: way)])
        choice = PlaneChoice(.auto, kernelLacks: kernel.lack(for: demand, nil))
    }

    /// Adds what `apply` with the packet engine needs.
    ///
    /// - Parameter fix: What to do if it cannot be asked.
    mutating func addEngineOnInterfaces(otherwise fix: String) {
        let name = "apply by the engine"
        do {
            let answer = try HookProbe.run()
            if let lack = answer.lack {
                add(
                    name, servesKernelPlane ? .limited : .missing, lack.description,
                    fix: answer.lackOfTables == .noProgram ? "sudo apt install nftables" : nil)
                return
            }
            let way = answer.lackOfTables == nil ? "nftables" : "filters of tc"
            add(name, .ok, "\(way) can send an interface's packets to it")
            servesInterfacesByEngine = Privilege.mayChangeNetwork
        } catch {
            add(
                name, .limited, Self.needOfNamespace, fix: fix)
        }
    }

    /// Adds what `run --dbus` and the host's NetworkManager need.
    mutating func addBus() {
        let name = "D-Bus"
        if let lack = BusDiagnosis.ofThisHost() {
            add(name, .missing, lack.detail, fix: lack.fix)
        } else {
            add(name, .ok, "programs in a run can ask NetworkManager and the portal")
        }
    }

    /// Adds what `run --multipath` needs. A sandbox has its own sysctl, which is on.
    mutating func addMultipath() {
        let name = "Multipath TCP"
        do {
            try MultipathSupport.require()
        } catch  where error != .switchedOff {
            add(name, .missing, "\(error)", fix: "Run a kernel with CONFIG_MPTCP")
            return
        } catch {}
        add(name, .ok, "TCP in a run may use several interfaces (run --multipath)")
    }

    private mutating func add(
        _ name: String, _ status: Check.Status, _ detail: String, fix: String? = nil
    ) {
        checks.append(Check(name, status, detail, fix: fix))
    }
}
