"""Somebody at a captive portal: opens a page, is led to the portal, clicks, and opens it again.

usage: portal_click.py ADDRESS

Prints the title of each page, and whether the last one came from the address.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "MatrixReportTests/Fixtures"))
import chromium  # noqa: E402

BUTTON = "button[type=submit]"


def click_away(browser):
    """Clicks on the button, which leads to another page."""
    first = len(browser.events)
    x, y = browser.evaluate(f"""(() => {{
        const box = document.querySelector("{BUTTON}").getBoundingClientRect();
        return [box.x + box.width / 2, box.y + box.height / 2];
    }})()""")
    for kind in ("mousePressed", "mouseReleased"):
        browser.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
    while not any(event.get("method") == "Page.loadEventFired" for event in browser.events[first:]):
        browser.events.append(browser.message())


def heading(browser):
    return browser.evaluate("document.querySelector('h1').textContent")


with chromium.browser() as browser:
    browser.attach()
    browser.open(sys.argv[1])
    print(heading(browser))
    click_away(browser)
    print(heading(browser))
    # Connections that Chromium has opened in advance must not lead to the portal any more.
    browser.open(sys.argv[1])
    print(heading(browser), browser.evaluate("location.href") == sys.argv[1])
