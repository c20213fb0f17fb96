"""What tests of the panel in Chromium do again and again."""

import json
import os
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "MatrixReportTests/Fixtures"))
import chromium  # noqa: E402,F401

PROGRAM = os.environ["LINKCOND_BINARY"]
CARD = "article[aria-label='eth0']"


def serve(*options):
    """A server and the address that it prints."""
    process = subprocess.Popen([PROGRAM, "serve", *options], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    return process, process.stdout.readline().strip()


def note(text):
    print(f"{time.monotonic():.1f} {text}", file=sys.stderr, flush=True)


def wait(condition, seconds=20):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return False


def text_of(browser, selector):
    return browser.evaluate(f"document.querySelector({json.dumps(selector)})?.textContent ?? ''")


def is_hidden(browser, selector):
    return browser.evaluate(f"document.querySelector({json.dumps(selector)}).hidden")


def is_live(browser):
    return text_of(browser, "#connection .words") == "live"


def choose(browser, selector, value):
    """Changes a field as a user does who leaves it then."""
    browser.evaluate(f"""(() => {{
        const field = document.querySelector({json.dumps(selector)});
        field.value = {json.dumps(value)};
        field.dispatchEvent(new Event("change"));
    }})()""")


def activate(browser, selector):
    """Chooses a control by the keyboard: figures that change above it may move it away from a pointer."""
    browser.evaluate(f"document.querySelector({json.dumps(selector)}).focus()")
    browser.press("Enter", 13)


def press_for(browser, selector, lines):
    """Clicks, and releases the button only after so many lines of the server's."""
    x, y = browser.evaluate(f"""(() => {{
        const element = document.querySelector({json.dumps(selector)});
        element.scrollIntoView({{ block: "center" }});
        const box = element.getBoundingClientRect();
        return [box.x + box.width / 2, box.y + box.height / 2];
    }})()""")
    mouse = lambda kind: browser.call(
        "Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
    mouse("mouseMoved")
    mouse("mousePressed")
    browser.evaluate(f"""new Promise((done) => {{
        let left = {lines};
        linkcond.feed.source.addEventListener("state", () => {{ if (!(left -= 1)) done(); }});
    }})""")
    mouse("mouseReleased")
