import Foundation
import LinkTesting
import Testing

/// What Scripts/linkcond says on a system that cannot build linkcond.
@Suite("Build script", .tags(.unit))
struct BuildScriptTests {
    /// Systems with one package manager each, without Swift and then without libraries.
    private static let script = #"""
        set -eu
        mkdir checkout tools
        cp -r "$package/Scripts" checkout
        for program in bash sh awk cat dirname env find head mkdir readlink sed sort tr uname; do
            ln -s "$(command -v "$program")" tools
        done
        # fake PROGRAM DIRECTORY OUTPUT
        fake() {
            printf '#!/bin/sh\necho "%s"\n' "$3" >"$2/$1"
            chmod +x "$2/$1"
        }
        for manager in apt-get dnf pacman zypper none; do
            mkdir "$manager"
            fake "$manager" "$manager" ''
            for step in swift libraries; do
                # There linkcond installs them, if it is root.
                [ "$manager, $step" != 'apt-get, libraries' ] || break
                printf '%s, %s: ' "$manager" "$step"
                PATH=$PWD/tools:$PWD/$manager checkout/Scripts/linkcond 2>&1 | sed 's/^linkcond: //' \
                    || true
                fake swift "$manager" 'Swift version 6.3.1'
            done
        done | sed "s/$(uname -m)/MACHINE/g"
        """#

    @Test func `what is missing is named in one line for each distribution`() async throws {
        let result = try await runPackageScript(Self.script)
        try Golden("missing-for-building.txt").expect(result.standardOutput)
    }
}
