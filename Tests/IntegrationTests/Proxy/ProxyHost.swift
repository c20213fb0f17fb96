import LinkTesting
import Testing

/// Scripts on a host of their own with a proxy.
enum ProxyHost {
    /// Runs a script, and expects that all goes well and what it prints.
    ///
    /// It finds what `StandInHost.script` has, `proxying TEST` for tests of the fixture, and
    /// `proxy ...`, which starts a proxy in the background and returns once that is ready.
    static func expect(
        _ output: String, from script: String, by caller: Caller = .ordinaryUser,
        location: SourceLocation = #_sourceLocation
    ) async throws {
        let fixture = "\(BuiltProduct.packageDirectory)/Tests/IntegrationTests/Fixtures/proxying.py"
        let result = try await StandInHost.script(
            """
            proxying() {
                env LCTEST_RUN=$DIRECTORY $IDENTITY python3 $DIRECTORY/proxying.py $PROGRAM "$@"
            }
            proxy() {
                : >$DIRECTORY/ready
                env LCTEST_RUN=$DIRECTORY $IDENTITY $PROGRAM proxy "$@" --ready-fd 9 \
                    9>>$DIRECTORY/ready 2>>$DIRECTORY/log & job=$!
                until [ -s $DIRECTORY/ready ]; do sleep 0.02; kill -0 $job || return; done
            }
            end() { kill -INT $job; wait $job; }
            cat >$DIRECTORY/proxying.py <"\(fixture)"

            """ + script, by: caller)
        #expect(
            result.exitCode == 0 && result.standardOutput == output,
            "\(result.standardOutput)\(result.standardError)", sourceLocation: location)
    }
}
