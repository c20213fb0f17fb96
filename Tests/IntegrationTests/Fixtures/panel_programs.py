"""Runs, proxies and matrices in the panel: watched, their links clicked, their reports opened.

usage: panel_programs.py DIRECTORY

Runs in namespaces of its own, and prints what it found as JSON.
"""

import json
import os
import pathlib
import shlex
import subprocess
import sys

from panel_tools import PROGRAM, activate, chromium, is_live, note, press_for, serve, text_of, wait


def start(*words):
    return subprocess.Popen([PROGRAM, *words], stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL)


def feeds_of_runs():
    """The processes that tell the server of runs."""
    found = []
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if words[1:3] == [b"serve-feed", b"--pid"]:
            found.append(int(entry.name))
    return found


def item(process):
    """The entry of a program."""
    return f"""[...document.querySelectorAll("#programs li")].find((each) =>
        /process {process.pid}\\b/.test(each.querySelector("span").textContent))"""


def link_of(browser, process):
    """The first live view of a program, once there is one."""
    link = f"({item(process)})?.querySelector(`a[href^='/?pid=']`)?.getAttribute('href')"
    browser.until(f"Boolean({link})")
    return f"#programs a[href='{browser.evaluate(link)}']"


def watch(browser, process, profile, lines=0):
    """Follows the link to its live view; returns whether that shows its link.

    With the mouse, whose button is held for so many lines of the server's; with the keyboard for none.
    """
    link = link_of(browser, process)
    if lines:
        press_for(browser, link, lines)
    else:
        activate(browser, link)
    return wait(lambda: text_of(browser, "article .profile") == profile and is_live(browser), 30)


def open_report(browser, process):
    """Follows the link to a program's report; returns the title of the page."""
    opened = f"a[href='/v1/host/programs/{process.pid}/report']"
    browser.until(f"document.querySelector(`{opened}`) !== null")
    activate(browser, opened)
    pages = lambda: [each for each in browser.call("Target.getTargets")["targetInfos"]
                     if each["type"] == "page" and each["url"].endswith(f"/{process.pid}/report")]
    wait(lambda: pages() and pages()[0]["title"], 30)
    title = pages()[0]["title"] if pages() else ""
    # A page that is hidden for longer than a moment hears nothing any more.
    for page in pages():
        browser.call("Target.closeTarget", targetId=page["targetId"])
    browser.call("Page.bringToFront")
    return title


def browse(browser, address, directory, earlier, found):
    home = address.partition("/login")[0] + "/"
    browser.attach()
    browser.look(1280, 900, "light", False)
    browser.open(address)
    browser.until("document.querySelector('#connection .words').textContent === 'live'")

    note("A matrix that has ended before")
    found["earlier"] = browser.evaluate(f"({item(earlier)})?.querySelector('span').textContent ?? ''").replace(
        f"{earlier.pid}", "PID") if wait(lambda: browser.evaluate(f"Boolean({item(earlier)})"), 30) else ""
    found["earlierReport"] = open_report(browser, earlier) if found["earlier"] else ""

    note("A run")
    run = start("run", "--uplink", "none", "3G", "--", "sleep", "1000")
    found["runWatched"] = watch(browser, run, "apple/3G", lines=8)
    note("The reader leaves")
    browser.open(home)
    browser.until("document.querySelector('#connection .words').textContent === 'live'")
    found["feedEnded"] = wait(lambda: not feeds_of_runs(), 30)

    note("A proxy")
    proxy = start("proxy", "LTE", "--http", "127.0.0.1:0", "--", "sleep", "1000")
    found["proxyWatched"] = watch(browser, proxy, "apple/LTE")
    browser.open(home)

    note("A matrix")
    report = directory / "report"
    matrix = start("matrix", "--uplink", "none", "--profiles", "Edge", "--no-baseline", "--report", str(report),
                   "--", "sh", "-c", f"until [ -e {shlex.quote(str(directory))}/go ]; do sleep 0.1; done")
    found["matrixWatched"] = watch(browser, matrix, "apple/Edge")
    browser.open(home)
    link_of(browser, matrix)
    (directory / "go").touch()
    found["report"] = open_report(browser, matrix)
    matrix.wait()

    note("The command that stops the run")
    command = f"({item(run)}).querySelector('.command:last-child code').textContent"
    found["stopCommand"] = browser.evaluate(command).replace(f"{run.pid}", "PID")
    subprocess.run(browser.evaluate(command).removeprefix("sudo "), shell=True, check=True)
    found["runCode"] = run.wait()
    found["runGone"] = wait(lambda: browser.evaluate(f"({item(run)}) === undefined"), 30)


def main():
    directory = pathlib.Path(sys.argv[1])
    found = {}
    # Nobody watches its end. (Its report is named in a file.)
    (directory / "linkcond.yaml").write_text("profiles: [Edge]\nbaseline: false\nreport: earlier\n")
    earlier = start("matrix", "--uplink", "none", "--", "true")
    earlier.wait()
    (directory / "linkcond.yaml").unlink()
    process, address = serve("--port", "8475")
    try:
        with chromium.browser(seconds=240) as browser:
            browse(browser, address, directory, earlier, found)
            found["complaints"] = browser.outside()["complaints"]
    finally:
        process.kill()
        process.wait()
    print(json.dumps(found))


main()
