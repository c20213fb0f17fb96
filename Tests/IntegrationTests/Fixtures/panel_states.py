"""What the panel shows of states that are rare: traces, long scenarios, clocks that are set, a page that
stood still, and measurements that are missing.

usage: panel_states.py DIRECTORY

Runs in namespaces of its own, and prints what it found as JSON.
"""

import json
import pathlib
import re
import subprocess
import sys

from panel_tools import (CARD, PROGRAM, activate, choose, chromium, is_live, note, serve, text_of, wait)

# The page's clock, which the test sets.
CLOCK = """
const Real = Date;
globalThis.shift = 0;
globalThis.Date = class extends Real {
  constructor(...parts) { parts.length ? super(...parts) : super(Real.now() + shift); }
  static now() { return Real.now() + shift; }
};
"""
LINES = """new Promise((done) => {
    let left = 3;
    linkcond.feed.source.addEventListener("state", () => { if (!(left -= 1)) done(); });
})"""
# Shows a state in which something is changed, and returns what a function makes of the page then.
SHOWN = """new Promise((done) => linkcond.feed.source.addEventListener("state", (event) => {
    const state = JSON.parse(event.data);
    (%s)(state);
    linkcond.show(state);
    done((%s)(document.querySelector("article[aria-label='eth0']")));
}, { once: true }))"""


def shell(*words):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True).stdout


def see_overrides(browser, found):
    """The commands below what apps see, before and after two changes."""
    cost = f"{CARD} select[aria-label^=Cost]"
    command = f"{CARD} .controls > .command:last-child code"
    found["overrides"] = [text_of(browser, command)]
    for value, text in (("expensive", '"expensive" : true'), ("default", '"overrides" : [')):
        choose(browser, cost, value)
        shown = "set -i eth0 --cost expensive" if value == "expensive" else "clear -i eth0"
        wait(lambda: text_of(browser, command).endswith(shown), 30)
        found["overrides"].append(text_of(browser, command))
        found[value] = json.loads(shell("override", "show", "--json"))["overrides"]


def see_traces(browser, directory, found):
    activate(browser, f"{CARD} .profiles button[data-id='apple/LTE']")
    browser.until(f"document.querySelector(`{CARD} [role=switch]`).ariaChecked === 'true'")
    trace = directory / "bus.up"
    trace.write_text("".join(f"{time}\n" for time in range(10, 1010, 10)))
    activate(browser, f"{CARD} .controls details summary")
    field = f"{CARD} .up input[id$='up.trace']"
    refusal = f"{CARD} .refusal"
    choose(browser, field, f"{directory}/none.up")
    found["wrongTrace"] = text_of(browser, refusal) if wait(lambda: text_of(browser, refusal), 30) else ""
    found["afterWrong"] = text_of(browser, f"{CARD} .profile")
    choose(browser, field, str(trace))
    text = f"{CARD} .direction.up canvas.trace + p"
    wait(lambda: "on average" in text_of(browser, text), 30)
    found["trace"] = text_of(browser, text)
    found["refusalIsGone"] = not text_of(browser, refusal)
    found["traceCommand"] = text_of(browser, f"{CARD} .controls > .command code")


def see_clocks(browser, found):
    activate(browser, f"{CARD} button[data-seconds='3600']")
    countdown = f"{CARD} .profile + .muted"
    is_right = lambda text: re.fullmatch(r"off in (1:00:00|59:\d\d|58:\d\d)", text) is not None
    wait(lambda: is_right(text_of(browser, countdown)), 30)
    # That of the browser is set.
    found["countdowns"] = []
    for hours in (-3, 3):
        browser.evaluate(f"shift = {hours} * 3600 * 1000")
        browser.evaluate(LINES)
        found["countdowns"].append(is_live(browser) and is_right(text_of(browser, countdown)))
    # That of the server is set: it tells the end by the clock as it is set now.
    for hours in (-3, 3):
        change = f"""(state) => {{
            state.dateSeconds += {hours} * 3600;
            const conditions = state.conditioned[0];
            conditions.until = new Real(Real.parse(conditions.until) + {hours} * 3600 * 1000).toISOString();
        }}"""
        text = browser.evaluate(SHOWN % (change, "(card) => card.querySelector('.profile + .muted').textContent"))
        found["countdowns"].append(is_live(browser) and is_right(text))


def see_the_kernels(browser, found):
    """Of conditions on the kernel's data plane."""
    figures = """(card) => [...card.querySelectorAll(".up dd")].slice(1, 3).map((each) => each.textContent)"""
    change = """(state) => {
        state.measured = %s;
        const { counters } = state.conditioned[0].up;
        Object.assign(counters, { latenessMicroseconds: null, packets: 0, bytes: 0, queuedPackets: 0 });
    }"""
    for name, measured in (("unmeasured", "[{ down: null, up: null }]"), ("unlisted", "[]")):
        found[name] = browser.evaluate(SHOWN % (change % measured, figures))


def see_a_long_scenario(browser, directory, found):
    browser.until("document.querySelector('#scenarios option[value=Long]') !== null")
    choose(browser, "#scenarios select", "Long")
    browser.until("!document.querySelector('#scenarios > .row > button').disabled")
    activate(browser, "#scenarios > .row > button")
    browser.until("document.querySelectorAll('#plays .events li').length > 100")
    found["nodes"] = browser.evaluate("document.querySelectorAll('#plays *').length")
    found["rest"] = text_of(browser, "#plays .events li:last-child")
    command = text_of(browser, "#plays .command:last-child code")
    found["stopCommand"] = re.sub(r"\d+", "PID", command)
    subprocess.run(command.removeprefix("sudo "), shell=True, check=True)
    wait(lambda: text_of(browser, "#plays .muted").startswith("Stopped"), 30)
    found["stopped"] = text_of(browser, "#plays .muted")
    found["stopIsOver"] = browser.evaluate("document.querySelector('#plays .command:last-child').hidden")


def see_a_suspension(browser, server, found):
    """The page stands still while the server is started anew."""
    browser.call("Page.setWebLifecycleState", state="frozen")
    server[0].kill()
    server[0].wait()
    server[0], _ = serve("--port", "8475")
    browser.call("Page.setWebLifecycleState", state="active")
    browser.call("Emulation.setFocusEmulationEnabled", enabled=True)
    browser.call("Page.bringToFront")
    found["awake"] = wait(lambda: is_live(browser), 60)
    browser.evaluate(LINES)


def browse(browser, address, server, directory, found):
    browser.attach()
    browser.look(1280, 900, "light", False)
    browser.call("Page.addScriptToEvaluateOnNewDocument", source=CLOCK)
    browser.open(address)
    browser.until(f"document.querySelector(`{CARD} > details > summary`) !== null")
    activate(browser, f"{CARD} > details > summary")
    browser.until(f"document.querySelector(`{CARD} .profiles button`) !== null")
    note("What apps see")
    see_overrides(browser, found)
    note("Traces")
    see_traces(browser, directory, found)
    note("Clocks")
    see_clocks(browser, found)
    note("The kernel's data plane")
    see_the_kernels(browser, found)
    browser.evaluate(f"document.querySelector(`{CARD} [role=switch]`).click()")
    browser.until(f"document.querySelector(`{CARD} [role=switch]`).ariaChecked === 'false'")
    note("A long scenario")
    see_a_long_scenario(browser, directory, found)
    note("A suspension")
    see_a_suspension(browser, server, found)


def main():
    directory = pathlib.Path(sys.argv[1])
    scenarios = directory / ".linkcond/scenarios"
    scenarios.mkdir(parents=True)
    changes = "".join(f"  - {{ at: {60 + number} s, set: {{ up.delay: {number % 50 + 10} ms }} }}\n" for number in range(10000))
    (scenarios / "Long.yaml").write_text(
        f"name: Long\nsummary: Changes ten thousand times\ninterfaces:\n  wifi0: {{ profile: LTE }}\ntimeline:\n{changes}")
    found = {}
    process, address = serve("--port", "8475")
    server = [process]
    try:
        with chromium.browser(seconds=240) as browser:
            browse(browser, address, server, directory, found)
            found["complaints"] = [text for text in browser.outside()["complaints"] if "Failed to load" not in text]
    finally:
        server[0].kill()
        server[0].wait()
        subprocess.run([PROGRAM, "clear"], stderr=subprocess.DEVNULL)
    print(json.dumps(found))


main()
