"""The panel as a user meets it: opened, clicked, dragged, in two tabs, without its server.

usage: panel.py APP_NAMESPACE SERVER_NAMESPACE [PICTURES]

Runs in the app's namespace, and prints what it found as JSON.
"""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

from panel_tools import CARD, PROGRAM, activate, chromium, is_hidden, note, serve, text_of, wait

UNITS = {"bit/s": 1, "kbit/s": 1e3, "Mbit/s": 1e6, "Gbit/s": 1e9}


def value(text):
    """The number of `1.5 Mbit/s`."""
    number, unit = text.split(" ", 1)
    return float(number) * UNITS[unit]


def throughput(browser, way):
    """What is measured, and what was promised."""
    text = browser.evaluate(f"document.querySelector(`{CARD} .{way} dd`).textContent")
    return [value(part) for part in text.split(" of ")]


def drag(browser, selector, share):
    """Moves a slider from where it is to a share of its width, as a finger does."""
    x, y, width, now = browser.evaluate(f"""(() => {{
        const slider = document.querySelector({json.dumps(selector)});
        slider.scrollIntoView({{ block: "center" }});
        const box = slider.getBoundingClientRect();
        return [box.x, box.y + box.height / 2, box.width, slider.value / slider.max];
    }})()""")
    place = lambda part: x + 8 + (width - 16) * part
    mouse = lambda kind, part: browser.call(
        "Input.dispatchMouseEvent", type=kind, x=place(part), y=y, button="left", buttons=1, clickCount=1)
    mouse("mousePressed", now)
    for step in range(1, 11):
        mouse("mouseMoved", now + (share - now) * step / 10)
        time.sleep(0.03)
    mouse("mouseReleased", share)
    browser.settle()


def look(browser, name, width, scheme, pictures):
    browser.look(width, 900 if width > 400 else 800, scheme, width <= 400)
    if pictures:
        time.sleep(0.5)
        browser.full_screenshot(f"{pictures}/{name}.png")
    return {"axe": browser.axe(), "tooWide": browser.evaluate(
        "document.documentElement.scrollWidth - innerWidth")}


def helpers():
    """The packet engine and the feed of this namespace."""
    own = os.readlink("/proc/self/ns/net")
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
            if len(words) > 1 and words[1] in (b"engine", b"serve-feed") and os.readlink(entry / "ns/net") == own:
                yield words[1].decode(), int(entry.name)
        except OSError:
            pass


def browse(browser, address, server, found, pictures):
    browser.attach()
    browser.look(1280, 900, "light", False)
    browser.open(address)
    browser.until(f"document.querySelector(`{CARD}`) !== null")
    found["address"] = browser.evaluate("location.pathname + location.search")
    found["connection"] = text_of(browser, "#connection .words")

    note("A scenario")
    # A scenario: played, watched, stopped.
    browser.until("document.querySelector('#scenarios select option') !== null")
    browser.evaluate("""(() => {
        const choice = document.querySelector("#scenarios select");
        choice.value = "Elevator";
        choice.dispatchEvent(new Event("change"));
    })()""")
    browser.until("!document.querySelector('#scenarios > .row > button').disabled")
    found["playCommand"] = text_of(browser, "#scenarios > .command code")
    activate(browser, "#scenarios > .row > button")
    # On a busy machine the page may see a later profile of the scenario first.
    browser.until(f"document.querySelector(`{CARD} .profile`).textContent !== 'Not conditioned'")
    browser.until("document.querySelectorAll('#plays .events li').length > 4")
    head = "parseFloat(document.querySelector('#plays .playhead').style.left)"
    before = browser.evaluate(head)
    found["playheadMoved"] = wait(lambda: browser.evaluate(head) > before)
    activate(browser, "#plays button[aria-label='Stop Elevator']")
    found["stopped"] = wait(lambda: text_of(browser, "#plays .muted").startswith("Stopped"))
    browser.until(f"document.querySelector(`{CARD} .profile`).textContent === 'Not conditioned'")

    note("A profile")
    # A profile.
    activate(browser, f"{CARD} > details > summary")
    browser.until(f"document.querySelector(`{CARD} .profiles button`) !== null")
    browser.evaluate(f"document.querySelector(`{CARD} input[type=search]`).focus()")
    browser.call("Input.insertText", text="lte")
    browser.settle()
    found["searched"] = browser.evaluate(
        f"[...document.querySelectorAll(`{CARD} .profiles button`)].filter(b => !b.hidden).map(b => b.dataset.id)")
    activate(browser, f"{CARD} .profiles button[data-id='apple/LTE']")
    browser.until(f"document.querySelector(`{CARD} [role=switch]`).ariaChecked === 'true'")
    found["profile"] = text_of(browser, f"{CARD} .profile")
    found["command"] = text_of(browser, f"{CARD} .command code")

    # A slider, while packets pass.
    traffic = subprocess.Popen(["iperf3", "-c", "192.0.2.2", "-t", "100", "--json"],
                               stdout=subprocess.DEVNULL)
    try:
        browser.until(f"document.querySelector(`{CARD} .up canvas`) !== null")
        canvas = f"document.querySelector(`{CARD} .up canvas`).toDataURL()"
        before = browser.evaluate(canvas)
        slider = f"{CARD} input[id$='up.bandwidth']"
        drag(browser, slider, 0.47)
        number = f"document.querySelector(`{CARD} input[aria-label^='up bandwidth']`).value"
        wait(lambda: text_of(browser, f"{CARD} .profile").endswith(browser.evaluate(number)))
        found["dragged"] = text_of(browser, f"{CARD} .profile")
        found["number"] = browser.evaluate(number)
        found["reached"] = wait(lambda: (lambda m, p: abs(m - p) < 0.15 * p)(*throughput(browser, "up")), 40)
        found["throughput"] = throughput(browser, "up")
        found["plotMoved"] = browser.evaluate(canvas) != before
        found["verdict"] = wait(lambda: "As promised" in text_of(browser, f"{CARD} .up .verdict"))

        delay = f"document.querySelectorAll(`{CARD} .up dd`)[1].textContent"
        found["delay"] = wait(lambda: re.match(r"[\d.]+ m?s / [\d.]+ m?s, promised 65 ms", browser.evaluate(delay)) is not None)

        # The keyboard.
        browser.evaluate(f"document.querySelector(`{slider}`).focus()")
        before = text_of(browser, f"{CARD} .profile")
        browser.press("ArrowRight", 39)
        found["keyboard"] = wait(lambda: text_of(browser, f"{CARD} .profile") != before)

        # A time limit.
        activate(browser, f"{CARD} button[data-seconds='600']")
        found["countdown"] = wait(
            lambda: re.search(r"off in (10:00|9:\d\d)", text_of(browser, CARD)) is not None)

        found["looks"] = {
            "wide": look(browser, "wide", 1280, "light", pictures),
            "phone": look(browser, "phone", 360, "light", pictures),
            "dark": look(browser, "dark", 1280, "dark", pictures),
        }
        browser.look(1280, 900, "light", False)
    finally:
        traffic.kill()
        traffic.wait()

    note("What apps see")
    # What apps see.
    browser.evaluate(f"""(() => {{
        const cost = document.querySelector(`{CARD} select[aria-label^=Cost]`);
        cost.value = "expensive";
        cost.dispatchEvent(new Event("change"));
    }})()""")
    found["override"] = wait(lambda: '"expensive" : true' in subprocess.run(
        [PROGRAM, "override", "show", "--json"], capture_output=True, text=True).stdout)

    note("The computer sleeps")
    # The computer sleeps.
    os.killpg(browser.process.pid, signal.SIGSTOP)
    time.sleep(7)
    os.killpg(browser.process.pid, signal.SIGCONT)
    found["awake"] = wait(lambda: text_of(browser, "#connection .words") == "live")

    note("Two tabs")
    # Two tabs.
    first = browser.session
    browser.session = None
    browser.attach()
    second = browser.session
    browser.call("Page.bringToFront")
    browser.open(address.partition("/login")[0] + "/")
    browser.until(f"document.querySelector(`{CARD} [role=switch]`)?.ariaChecked === 'true'")
    activate(browser, f"{CARD} > details > summary")
    browser.until(f"document.querySelector(`{CARD} .profiles button`) !== null")
    # Neither sees any more what the other does.
    for session in (first, second):
        browser.session = session
        browser.evaluate("linkcond.feed.close()")
    for session, profile in ((first, "apple/Edge"), (second, "apple/Wi-Fi")):
        browser.session = session
        browser.evaluate(f"document.querySelector(`{CARD} .profiles button[data-id='{profile}']`).click()")
    refusal = f"document.querySelector(`{CARD} .refusal`)?.textContent ?? ''"

    def refusals():
        texts = []
        for session in (second, first):
            browser.session = session
            texts.append(browser.evaluate(refusal))
        return texts

    wait(lambda: any(refusals()))
    # There must not be another one.
    time.sleep(2)
    found["conflict"] = refusals()
    # Pages that nobody sees listen to nothing, and draw nothing.
    browser.session = first
    browser.call("Page.bringToFront")
    browser.evaluate("linkcond.feed.open()")
    browser.until("document.querySelector('#connection .words').textContent === 'live'")

    note("A run")
    # A run is watched until its end.
    run = subprocess.Popen([PROGRAM, "run", "--uplink", "none", "3G", "--", "sleep", "60"],
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    link = f"#programs a[href='/?pid={run.pid}']"
    browser.until(f"document.querySelector(`{link}`) !== null")
    browser.open(browser.evaluate(f"document.querySelector(`{link}`).href"))
    browser.until("document.querySelector('article .profile')?.textContent === 'apple/3G'")
    run.terminate()
    run.wait()
    browser.until("!document.querySelector('#lost').hidden")
    found["runEnded"] = text_of(browser, "#lost")
    browser.open(address.partition("/login")[0] + "/")
    browser.until(f"document.querySelector(`{CARD} [role=switch]`)?.ariaChecked === 'true'")

    note("Without the server")
    # Without the server.
    server[0].kill()
    server[0].wait()
    browser.until("!document.querySelector('#lost').hidden")
    found["lost"] = text_of(browser, "#lost")
    found["looks"]["lost"] = look(browser, "lost", 1280, "light", None)
    found["feedEnded"] = wait(lambda: "serve-feed" not in [name for name, _ in helpers()])
    server[0], _ = serve("--port", "8475")
    browser.until("document.querySelector('#lost').hidden")
    found["back"] = wait(lambda: text_of(browser, "#connection .words") == "live")

    note("The engine is killed")
    # The engine is killed; then the interface vanishes.
    for name, process in list(helpers()):
        if name == "engine":
            os.kill(process, signal.SIGKILL)
    found["engineKilled"] = wait(lambda: not is_hidden(browser, f"{CARD} .notice[role=alert]:not(.refusal)"))
    found["problem"] = text_of(browser, f"{CARD} .notice[role=alert]:not(.refusal)")
    subprocess.run([PROGRAM, "clear"], stderr=subprocess.DEVNULL)
    subprocess.run(["ip", "link", "del", "eth0"], check=True)
    browser.until(f"document.querySelector(`{CARD}`).classList.contains('gone')")
    found["gone"] = text_of(browser, f"{CARD} .notice:not(.refusal)")
    found["goneLook"] = look(browser, "gone", 1280, "light", None)


def main():
    server_namespace = sys.argv[2]
    pictures = sys.argv[3] if len(sys.argv) > 3 else None
    found = {}
    sink = subprocess.Popen(["ip", "netns", "exec", server_namespace, "iperf3", "-s"],
                            stdout=subprocess.DEVNULL)
    process, address = serve("--port", "8475")
    server = [process]
    try:
        with chromium.browser(seconds=200) as browser:
            browse(browser, address, server, found, pictures)
            found.update(browser.outside())
    finally:
        server[0].kill()
        server[0].wait()
        sink.kill()
        sink.wait()
        subprocess.run([PROGRAM, "clear"], stderr=subprocess.DEVNULL)
    print(json.dumps(found))


main()
