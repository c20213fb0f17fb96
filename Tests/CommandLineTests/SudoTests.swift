import Foundation
import LinkTesting
import Testing

/// What root finds and leaves behind when it is asked through sudo.
@Suite("Files of a user behind sudo", .enabled("only root can act for another") { getuid() == 0 })
struct SudoTests {
    /// Runs a script of `sh` as root through the sudo of user 12345, whose home is `$HOME_OF_USER`.
    private static func run(
        _ script: String, sudo: String = "SUDO_UID=12345 SUDO_GID=12346 SUDO_USER=lctest"
    ) async throws -> ProcessResult {
        try await withTemporaryDirectory { directory in
            try await runProcess(
                "unshare",
                [
                    "--mount", "sh", "-ec",
                    """
                    cd "$1"
                    export HOME_OF_USER=$1/home HOME=$1/root linkcond=$2
                    mkdir home root
                    chmod 755 . home
                    chown 12345:12346 home
                    { cat /etc/passwd; echo "lctest:x:12345:12346::$HOME_OF_USER:/bin/sh"; } >passwd
                    mount --bind passwd /etc/passwd
                    unset XDG_CONFIG_HOME
                    profile=$HOME_OF_USER/.config/linkcond/profiles
                    export \(sudo)
                    \(script)
                    """, "sh", directory.path, try BuiltProduct.path(of: "linkcond"),
                ])
        }
    }

    private static let imported = """
        printf '[Ours]\\nlabel="Ours"\\nbwIn=1000000\\nbwOut=1000000\\nlatency=10\\nplr=0\\n' >x.ini
        "$linkcond" import x.ini --save
        """

    @Test func `what is saved is the user's, and is found again`() async throws {
        let result = try await Self.run(
            """
            \(Self.imported)
            stat -c '%u:%g %a %n' home/.config home/.config/linkcond/profiles/*
            ls -A root
            "$linkcond" show Ours --json
            """)
        #expect(result.exitCode == 0, "\(result)")
        #expect(
            result.standardOutput.contains(
                /12345:12346 755 home\/.config\n12345:12346 644 home.*ours.yaml\n\{/), "\(result)")
    }

    @Test func `nothing is read that the user may not read`() async throws {
        let result = try await Self.run(
            """
            mkdir -p "$profile"
            echo 'secret: of root' >secret.yaml
            chmod 600 secret.yaml
            ln -s "$PWD/secret.yaml" "$profile/leak.yaml"
            printf 'name: Trace\\ndown: { trace: %s }\\nup: { delay: 1 ms }\\n' "$PWD/secret.yaml" \\
                >"$profile/trace.yaml"
            "$linkcond" list 2>&1
            "$linkcond" show Trace 2>&1 || true
            """)
        #expect(result.exitCode == 0, "\(result)")
        #expect(result.standardOutput.contains("leak.yaml: you may not read it"), "\(result)")
        #expect(result.standardOutput.contains("names a trace that its owner may not read"))
        #expect(!result.standardOutput.contains("secret:"), "\(result)")
    }

    @Test(arguments: [
        "SUDO_UID=0 SUDO_GID=0 SUDO_USER=root", "SUDO_UID=-1 SUDO_GID=x SUDO_USER=lctest",
        "SUDO_USER=lctest",
    ])
    func `without a user behind sudo it is root's`(_ sudo: String) async throws {
        let result = try await Self.run(
            "\(Self.imported)\nls root/.config/linkcond/profiles; ls -A home", sudo: sudo)
        #expect(result.exitCode == 0, "\(result)")
        #expect(result.standardOutput == "ours.yaml\n", "\(result)")
    }
}
