"""Sets the clock to another hour again and again while a command runs, and then sets it right:
COMMAND [ARGUMENT...]. Ends with the command's exit code."""

import itertools
import subprocess
import sys
import time

right = time.time() - time.monotonic()


def set_clock(hours):
    time.clock_settime(time.CLOCK_REALTIME, right + time.monotonic() + 3600 * hours)


with subprocess.Popen(sys.argv[1:]) as process:
    try:
        for hours in itertools.cycle((1, -1, 0)):
            try:
                sys.exit(process.wait(timeout=0.4))
            except subprocess.TimeoutExpired:
                set_clock(hours)
    finally:
        process.kill()
        set_clock(0)
