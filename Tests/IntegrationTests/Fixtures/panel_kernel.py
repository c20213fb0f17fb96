"""What the panel shows of conditions on the kernel's data plane, and while the host's clock is set.

usage: panel_kernel.py DIRECTORY

Sets the clock of its machine, three hours to and fro: for a kernel of its own. Prints what it found as JSON.
"""

import json
import re
import subprocess
import sys

from panel_tools import CARD, PROGRAM, chromium, is_live, note, serve, text_of, wait

FIGURES = f"[...document.querySelectorAll(`{CARD} .up dd`)].slice(1, 3).map((each) => each.textContent)"
LINES = """new Promise((done) => {
    let left = %d;
    linkcond.feed.source.addEventListener("state", () => { if (!(left -= 1)) done(); });
})"""


def browse(browser, address, found):
    browser.attach()
    browser.look(1280, 900, "light", False)
    browser.open(address)
    wait(lambda: text_of(browser, f"{CARD} .profile") == "apple/LTE", 120)
    found["idle"] = browser.evaluate(FIGURES)
    note("Traffic")
    # Nobody answers: only the way up has some.
    traffic = subprocess.Popen(["ping", "-q", "-i", "0.02", "-w", "120", "192.0.2.2"], stdout=subprocess.DEVNULL)
    wait(lambda: "mean" in browser.evaluate(FIGURES)[0], 60)
    found["busy"] = browser.evaluate(FIGURES)
    traffic.kill()
    note("The clock is set")
    found["countdowns"] = []
    for step in ("+3 hours", "-6 hours", "+3 hours"):
        subprocess.run(["date", "-s", step], check=True, stdout=subprocess.DEVNULL)
        # What was read before may be on its way.
        browser.evaluate(LINES % 3)
        text = text_of(browser, f"{CARD} .profile + .muted")
        found["countdowns"].append(text if is_live(browser) else "not live")


def main():
    found = {}
    # The other end answers nothing, and need not be looked for.
    subprocess.run(["ip", "neigh", "add", "192.0.2.2", "lladdr", "02:00:00:00:00:02", "dev", "eth0"], check=True)
    subprocess.run([PROGRAM, "apply", "LTE", "-i", "eth0", "--backend", "kernel", "--for", "1h"], check=True,
                   stdout=subprocess.DEVNULL)
    process, address = serve("--port", "8475")
    try:
        with chromium.browser(seconds=280) as browser:
            browse(browser, address, found)
    finally:
        process.kill()
        process.wait()
        subprocess.run([PROGRAM, "clear"], stdout=subprocess.DEVNULL)
    found["countdowns"] = [re.sub(r"^off in 5\d:\d\d$", "right", text) for text in found["countdowns"]]
    print(json.dumps(found))


main()
