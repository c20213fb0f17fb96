"""Drives an interactive shell at a pseudo-terminal that runs linkcond (argument 1)."""

import os
import pty
import re
import select
import sys
import time

program = sys.argv[1]
run = f"{program} run LTE --uplink none --"
child, terminal = pty.fork()
if child == 0:
    os.environ["PS1"] = "PROMPT> "
    os.execvp("sh", ["sh", "-i"])

seen = ""


def expect(pattern, seconds=60):
    """Waits until the terminal shows `pattern` behind what was expected before."""
    global seen
    end = time.monotonic() + seconds
    while not (match := re.search(pattern, seen)):
        if not select.select([terminal], [], [], max(0, end - time.monotonic()))[0]:
            sys.exit(f"no {pattern!r} in: {seen!r}")
        seen += os.read(terminal, 65536).decode(errors="replace")
    seen = seen[match.end() :]
    return match


def type_line(text):
    os.write(terminal, text.encode() + b"\n")


def press(key):
    # A shell that is just forking loses the signal, with or without linkcond.
    time.sleep(0.5)
    os.write(terminal, key)


expect("PROMPT> ")
type_line("set -m")
expect("PROMPT> ")

# The command has the terminal as its own.
type_line(f"{run} sh -c 'test -t 0 && test -t 1 && tty; stty size; echo is-$?'")
expect(r"/dev/pts/\d+")
expect("is-0")
expect("PROMPT> ")

# Ctrl-C ends it.
type_line(f"{run} sh -c 'echo started; sleep 100; echo not reached'")
expect(r"\nstarted")
press(b"\x03")
expect("PROMPT> ")
type_line("echo code-$?")
expect(r"\ncode-130")
expect("PROMPT> ")

# One that handles Ctrl-C goes on, and linkcond with it; it is told once.
type_line(
    f"""{run} sh -c 'n=0; trap "n=\\$((n+1))" INT; echo begun;"""
    """ until [ $n -gt 0 ]; do sleep 0.1; done; sleep 0.3; echo caught-$n; exit 5'"""
)
expect(r"\nbegun")
press(b"\x03")
expect(r"caught-1")
expect("PROMPT> ")
type_line("echo code-$?")
expect(r"\ncode-5")
expect("PROMPT> ")

# Ctrl-Z stops it, fg goes on with it.
type_line(f"{run} sh -c 'echo waiting; read word; echo read-$word'")
expect(r"\nwaiting")
press(b"\x1a")
expect("(Stopped|Suspended)")
expect("PROMPT> ")
# Ctrl-Z throws away what is typed while it is worked off.
time.sleep(0.5)
type_line("fg")
time.sleep(0.3)
type_line("spoken")
expect(r"\nread-spoken")
expect("PROMPT> ")

# One that stops itself gives the terminal back, and fg goes on with it.
type_line(f"{run} sh -c 'echo halting; kill -STOP $$; echo continued'")
expect(r"\nhalting")
expect("(Stopped|Suspended)")
expect("PROMPT> ")
type_line("echo mine")
expect(r"\nmine")
expect("PROMPT> ")
type_line("fg")
expect(r"\ncontinued")
expect("PROMPT> ")

# So does one in a process group of its own, which the shell does not know.
own = "import os, signal; os.setpgid(0, 0); print('halting'); "
own += "os.kill(os.getpid(), signal.SIGSTOP); print('continued')"
type_line(f"{run} python3 -uc \"{own}\"")
expect(r"\nhalting")
expect("(Stopped|Suspended)")
expect("PROMPT> ")
type_line("fg")
expect(r"\ncontinued")
expect("PROMPT> ")
type_line("exit")

# A hangup ends the command also where linkcond is all that runs at the terminal, as with `ssh -t`: the
# kernel tells its process alone.
child, terminal = pty.fork()
if child == 0:
    waiting = "trap 'exit 6' HUP; echo waiting; while :; do sleep 0.1; done"
    os.execv(program, [program, "run", "LTE", "--uplink", "none", "--", "sh", "-c", waiting])
seen = ""
expect(r"waiting")
os.close(terminal)
for _ in range(600):
    process, status = os.waitpid(child, os.WNOHANG)
    if process:
        sys.exit(f"ended with {status}" if status != 6 << 8 else 0)
    time.sleep(0.1)
sys.exit("runs on without its terminal")
