import Foundation
import LinkTesting
import Testing

/// Completion as people meet it: real shells in a terminal, in which Tab is typed.
@Suite("Completion in shells")
struct ShellCompletionTests {
    /// What is typed before Tab, and the line that it leaves.
    private static let lines = [
        ("run lte", "run LTE "), ("stat", "status "), ("help ver", "help verify "),
        ("run LTE --pca", "run LTE --pcap "),
        ("matrix --profiles LTE,blackh", "matrix --profiles LTE,blackhole "),
        ("matrix --profiles=LTE,blackh", "matrix --profiles=LTE,blackhole "),
        ("run --scenario=elevat", "run --scenario=Elevator "),
        ("run --interface wifi0=lte,exp", "run --interface wifi0=lte,expensive "),
        ("run --set down.l", "run --set down.loss="),
        ("list --family SAT", "list --family satellite "),
        ("apply LTE -i l", "apply LTE -i lo "),
        ("run ./my", "run ./my-profile.yaml "),
        ("run LTE --log onl", "run LTE --log only.pcap "),
        ("matrix --report s", "matrix --report sub/"),
        ("run LTE -- ls onl", "run LTE -- ls only.pcap "),
        ("run LTE -- command-of-the-te", "run LTE -- command-of-the-test "),
    ]

    @Test(.enabled(if: hasPrograms("bash"), "bash is not installed"))
    func `bash completes what linkcond knows`() async throws { try await expectLines(of: "bash") }

    @Test(.enabled(if: hasPrograms("bash"), "bash is not installed"))
    func `bash completes names of a profile file so that nothing in them runs`() async throws {
        try await withTemporaryDirectory { directory in
            let names = [
                "zz$(touch${IFS}pwned)", "j`id`", "n'uote", "d\"q", #"b\s"#, "x,*", "wow!x", "ok$x",
            ]
            for (index, name) in names.enumerated() {
                let quoted = name.replacing("'", with: "''")
                try directory.write("name: '\(quoted)'\n", to: ".linkcond/\(index).yaml")
            }
            try directory.write("name: Mine\n", to: "my $x.yaml")
            let lines: [(typed: String, completed: String)] = [
                ("show zz", #"show zz\$\(touch\$\{IFS\}pwned\) "#),
                (#"show "zz"#, #"show "zz\$(touch\${IFS}pwned)" "#),
                ("show 'zz", "show 'zz$(touch${IFS}pwned)' "),
                ("show j", #"show j\`id\` "#), (#"show "j"#, #"show "j\`id\`" "#),
                (#"show n\'"#, #"show n\'uote "#), (#"show "n'"#, #"show "n'uote" "#),
                (#"show 'n'\''"#, #"show 'n'\''uote' "#),
                (#"show d\""#, #"show d\"q "#), (#"show "d\""#, #"show "d\"q" "#),
                (#"show b\\"#, #"show b\\s "#), (#"show "b\\"#, #"show "b\\s" "#),
                ("show x", #"show x,\* "#), ("show wow", #"show wow\!x "#),
                (#"show "wow"#, #"show "wow"\!"x" "#), ("show 'wow", "show 'wow!x' "),
                ("show ok$", #"show ok\$x "#),
                ("matrix --profiles=LTE,ok", #"matrix --profiles=LTE,ok\$x "#),
                (#"matrix --profiles="LTE,ok"#, #"matrix --profiles="LTE,ok\$x" "#),
                (#"matrix --profiles="LTE",ok"#, #"matrix --profiles=LTE,ok\$x "#),
                ("run --interface 'wifi0=ok", "run --interface 'wifi0=ok$x' "),
                (#"run "3G Good" --pca"#, #"run "3G Good" --pcap "#),
                ("show ./my", #"show ./my\ \$x.yaml "#),
                (#"show "./my "#, #"show "./my \$x.yaml" "#),
                (#"show ./my\ "#, #"show ./my\ \$x.yaml "#),
            ]
            let found = try await linesAfterTab(
                lines.map { "linkcond \($0.typed)" }, of: "bash", in: directory)
            #expect(found == lines.map { "linkcond \($0.completed)" })
        }
    }

    @Test(.enabled(if: hasPrograms("zsh"), "zsh is not installed"))
    func `zsh completes what linkcond knows`() async throws { try await expectLines(of: "zsh") }

    @Test(.enabled(if: hasPrograms("fish"), "fish is not installed"))
    func `fish completes what linkcond knows`() async throws { try await expectLines(of: "fish") }

    /// Names come from files that others may have written, as in a repository that was cloned.
    private static let hostileName = "zz$(touch${IFS}pwned);'x"

    private func expectLines(of shell: String) async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("name: Mine\n", to: "my-profile.yaml")
            try directory.write("", to: "only.pcap")
            try directory.write("", to: "sub/file")
            try directory.write("#!/bin/sh\n", to: "bin/command-of-the-test")
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o755],
                ofItemAtPath: "\(directory.path)/bin/command-of-the-test")
            try directory.write("name: \"\(Self.hostileName)\"\n", to: ".linkcond/a.yaml")
            let typed = (Self.lines.map(\.0) + ["show zz"]).map { "linkcond \($0)" }
            var lines = try await linesAfterTab(typed, of: shell, in: directory)
            let hostile = lines.removeLast()
            #expect(lines == Self.lines.map { "linkcond \($0.1)" })
            let print = hostile.replacing("linkcond show", with: "printf '%s\\n'")
            let printed = try await runProcess(shell, ["-c", print])
            #expect(printed.standardOutput == Self.hostileName + "\n", "\(hostile): \(printed)")
        }
    }

    /// The lines that Tab makes of `typed` in a shell.
    private func linesAfterTab(
        _ typed: [String], of shell: String, in directory: TemporaryDirectory
    ) async throws -> [String] {
        let result = try await runProcess(
            "python3",
            ["-c", Self.driver, BuiltProduct.path(of: "linkcond"), shell, directory.path] + typed)
        #expect(result.exitCode == 0, "\(result.standardError)")
        return result.standardOutput.split(separator: "\n").map(String.init)
    }

    /// LINKCOND SHELL DIRECTORY TEXT...: prints for each text the line that Tab makes of it.
    private static let driver = #"""
        import os
        import pty
        import select
        import subprocess
        import sys
        import time

        program, shell, directory, *texts = sys.argv[1:]
        script = subprocess.run([program, "--generate-completion-script", shell], capture_output=True,
                                text=True, check=True).stdout
        os.chdir(directory)
        os.makedirs("bin", exist_ok=True)
        if not os.path.exists("bin/linkcond"):
            os.symlink(program, "bin/linkcond")
        file, result = os.path.abspath("bin/_linkcond"), os.path.abspath("bin/line")
        with open(file, "w", encoding="utf-8") as out:
            out.write(script)

        # Ctrl-X writes the line to a file and clears it.
        SETUP = {
            "bash": f'''PS1=READY; source {file}
        save() {{ printf '%s' "$READLINE_LINE" >{result}.new; mv {result}.new {result}; READLINE_LINE=; }}
        bind -x '"\\C-x": save'; bind 'set completion-query-items 0'; bind 'set page-completions off'
        ''',
            "zsh": f'''PS1=READY; autoload -Uz compinit; compinit -u -D; source {file}; LISTMAX=-1
        save() {{ print -rn -- "$BUFFER" >{result}.new; mv {result}.new {result}; BUFFER=; }}
        zle -N save; bindkey '^X' save; setopt no_beep; unset zle_bracketed_paste
        ''',
            "fish": f'''function fish_prompt; echo -n READY; end; source {file}
        function save; commandline >{result}.new; mv {result}.new {result}; commandline -r ''; end
        bind \\cx save
        ''',
        }
        COMMANDS = {"bash": ["bash", "--norc", "--noprofile", "-i"], "zsh": ["zsh", "-f", "-i"],
                    "fish": ["fish", "--no-config", "-i"]}

        child, terminal = pty.fork()
        if child == 0:
            os.environ.update(PATH=f"{directory}/bin:/usr/bin:/bin", HOME=directory, TERM="dumb",
                              LINES="40", COLUMNS="200")
            os.execvp(COMMANDS[shell][0], COMMANDS[shell])


        def read(is_done, what):
            '''Reads what the shell shows until `is_done`, so that it never waits for a reader.'''
            shown, deadline = b"", time.monotonic() + 60
            while not is_done(shown):
                if time.monotonic() > deadline:
                    sys.exit(f"{shell} did not {what}; it showed: {shown[-2000:]!r}")
                if select.select([terminal], [], [], 0.05)[0]:
                    shown += os.read(terminal, 65536)


        try:
            for line in SETUP[shell].splitlines():
                os.write(terminal, (line + "\r").encode())
            os.write(terminal, b"echo SET''UP\r")
            read(lambda shown: b"SETUP" in shown and shown.rstrip().endswith(b"READY"), "start")
            for text in texts:
                os.write(terminal, text.encode() + b"\t\x18")
                read(lambda shown: os.path.exists(result), f"complete {text}")
                with open(result, encoding="utf-8") as saved:
                    print(saved.read().rstrip("\n"))
                os.remove(result)
        finally:
            os.close(terminal)
            os.kill(child, 9)
            os.waitpid(child, 0)

        """#
}
