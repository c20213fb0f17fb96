import ScenarioPlaying
import SystemPackage

/// A device of a sandbox while it runs: its network, and its app.
struct RunningDevice {
    /// Its name; nil if it is the only one.
    let name: String?
    /// Its network namespace.
    let network: FileDescriptor
    /// Its app.
    let app: App
    private let launcher: AppLauncher

    /// Starts the app, unless the scenario does later.
    ///
    /// - Parameters:
    ///   - hasOthers: Whether there are other devices.
    ///   - bus: The session of the device's message bus, which is not the app's; nil: none.
    init(_ launcher: AppLauncher, hasOthers: Bool, bus: Int32?) throws(SandboxError) {
        name = launcher.device.name
        network = launcher.network
        self.launcher = launcher
        var processes = AppProcesses(on: hasOthers ? network : nil)
        if let bus { processes.exclude(session: bus) }
        app = App(processes, launch: launcher.start)
        if launcher.device.isRunning { try app.start() }
    }

    /// Where commands beside the app run, and as whom: as the app after its last relaunch.
    var surroundings: CommandSurroundings { launcher.surroundings(app.options) }
}
