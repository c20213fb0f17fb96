import Glibc
import LinuxKernel

/// linkcond's D-Bus helper. `linkcond run` and `linkcond override` start it; users need not.
@main
enum Helper {
    private static let usage = """
        usage: linkcond-bus serve [--portal] | metered | follow
        A helper of linkcond, which starts it: see linkcond run --help and linkcond override --help.
        """

    static func main() {
        StandardStreams.reserve()
        KernelThread.outliveBrokenPipes()
        do {
            switch Process.arguments {
            case ["serve"]: try ServeCommand(hasPortal: false).run()
            case ["serve", "--portal"]: try ServeCommand(hasPortal: true).run()
            case ["metered"]: try MeteredCommand().run()
            case ["follow"]: try FollowCommand().run()
            case ["--help"]: print(usage)
            default: complain(usage, code: 64)
            }
        } catch {
            complain("\(error)", code: 1)
        }
    }

    private static func complain(_ text: String, code: Int32) -> Never {
        print(text)
        exit(code)
    }
}
