public import ArgumentParser
public import LinkModel
import LinkUnits
public import Sandbox
public import Scenarios

extension MultipathMode: ExpressibleByArgument {}
extension SandboxRequest.Uplink: ExpressibleByArgument {}
extension Backend: ExpressibleByArgument {}

/// A duration on the command line.
enum DurationArgument {
    static func parse(_ text: String) throws -> Duration {
        do {
            return try Duration(parsing: text)
        } catch {
            throw ValidationError("\(error)")
        }
    }
}
