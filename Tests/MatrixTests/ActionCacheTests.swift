import Foundation
import LinkTesting
import Testing

/// What the action for GitHub keeps from one job to the next is enough not to build again.
@Suite("Cache of the action", .tags(.unit))
struct ActionCacheTests {
    /// Two checkouts of the same sources, with a compiler that only says that it was asked. `second`
    /// has what the action's cache keeps of `first`.
    private static let script = """
        set -eu
        work=$PWD
        mkdir bin
        cat >bin/swift <<'END'
        #!/bin/sh
        case $* in --version) echo 'Swift version 6.3.1'; exit ;; esac
        echo built >>"$BUILDS"
        mkdir -p "$3/.build/release"
        for product in linkcond linkcond-bus linkcond-api; do
            printf '#!/bin/sh\\n' >"$3/.build/release/$product"
            chmod +x "$3/.build/release/$product"
        done
        END
        chmod +x bin/swift
        export PATH="$work/bin:$PATH" BUILDS=$work/builds
        checkout() {
            mkdir -p "$1/Sources/linkcond"
            cp -r "$package/Scripts" "$1"
            echo 'let a = 1' >"$1/Sources/linkcond/main.swift"
            echo '// a package' >"$1/Package.swift"
        }
        run() { "$1/Scripts/linkcond" 2>/dev/null; wc -l <"$BUILDS"; }
        checkout first
        run first
        run first
        grep -o 'github.action_path }}/.build/.*' "$package/action.yml" | cut -d / -f 2- >kept
        tar -C first -cf cache -T kept
        sleep 0.05
        checkout second
        tar -C second -xf cache
        run second
        run second
        echo 'let a = 2' >second/Sources/linkcond/main.swift
        run second
        rm second/Sources/linkcond/main.swift
        touch second/Sources/linkcond/other.swift
        run second
        """

    @Test func `a checkout with the cache of another builds only what is new`() async throws {
        let result = try await runPackageScript(Self.script)
        #expect(result.exitCode == 0, "\(result)")
        let builds = result.standardOutput.split(separator: "\n").compactMap { Int($0) }
        // Each build is of three products.
        #expect(builds == [3, 3, 3, 3, 6, 9], "\(result)")
    }
}
