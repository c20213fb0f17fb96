import Foundation
import LinkTesting
import Testing

/// What the action for GitHub and the component for GitLab do with a release.
@Suite("Installation of a release", .tags(.unit))
struct ReleaseInstallTests {
    /// Installs a small release from a web server, and shows what is installed and what is left of
    /// the download.
    private static let script = #"""
        set -u
        mkdir -p release/bin site tools temporary
        printf '#!/bin/sh\necho "linkcond 1.2.3"\n' >release/bin/linkcond
        chmod +x release/bin/linkcond
        tar -cJf site/linkcond.tar.xz release
        sum=$(sha256sum site/linkcond.tar.xz) sum=${sum%% *}
        python3 -u -m http.server --bind 127.0.0.1 --directory site 0 >server 2>/dev/null &
        trap 'kill "$!"' EXIT
        until port=$(sed -n 's/.* port \([0-9]*\) .*/\1/p' server); [ -n "$port" ]; do sleep 0.05; done
        url=http://127.0.0.1:$port
        # install TITLE FILE SHA256
        install() {
            echo "$1:"
            rm -rf prefix
            mkdir prefix
            LINKCOND_URL=$url/$2 LINKCOND_SHA256=$3 LINKCOND_PREFIX=$PWD/prefix \
                TMPDIR=$PWD/temporary sh "$package/Scripts/install-release" 2>&1 \
                | sed "s|$url|URL|g; s/$sum/SUM/g"
            echo "installed: $(cd prefix; echo *), left: $(cd temporary; echo *)"
        }
        install good linkcond.tar.xz "$sum"
        install 'wrong sum' linkcond.tar.xz "$(printf %064d 0)"
        install 'no sum' linkcond.tar.xz ''
        install 'no file' other.tar.xz "$sum"
        for program in grep mktemp rm sha256sum xz tar sh mkdir id cp sed; do
            ln -s "$(command -v "$program")" tools
        done
        PATH=$PWD/tools
        install 'no curl' linkcond.tar.xz "$sum"
        rm tools/xz
        install 'no xz' linkcond.tar.xz "$sum"
        """#

    @Test func `only what has the right sum is installed`() async throws {
        let result = try await runPackageScript(Self.script)
        let expected = """
            good:
            linkcond 1.2.3
            installed: bin, left: *
            wrong sum:
            linkcond: URL/linkcond.tar.xz is not the release: its SHA-256 is SUM, not \
            0000000000000000000000000000000000000000000000000000000000000000
            installed: *, left: *
            no sum:
            linkcond: the release needs its SHA-256, 64 digits and letters from a to f; see its \
            SHA256SUMS
            installed: *, left: *
            no file:
            curl: (22) The requested URL returned error: 404
            linkcond: cannot download URL/other.tar.xz
            installed: *, left: *
            no curl:
            linkcond: neither curl nor wget is there to download URL/linkcond.tar.xz; install \
            one of them
            installed: *, left: *
            no xz:
            linkcond: xz is missing; install it: xz-utils on Debian, xz elsewhere
            installed: *, left: *

            """
        #expect(result.standardOutput == expected, "\(result)")
    }

    /// A component cannot bring files along.
    @Test func `the component for GitLab contains the script`() throws {
        let package = BuiltProduct.packageDirectory
        let script = try String(
            contentsOfFile: "\(package)/Scripts/install-release", encoding: .utf8)
        let component = try String(
            contentsOfFile: "\(package)/docs/ci/gitlab/templates/linkcond.yml", encoding: .utf8)
        let indented = script.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.isEmpty ? "" : "      \($0)" }.joined(separator: "\n")
        #expect(component.contains("sh <<'END'\n\(indented)      END\n"))
    }
}
