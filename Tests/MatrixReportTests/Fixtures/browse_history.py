"""Opens the history of a matrix in headless Chromium.

usage: browse_history.py HISTORY.html [SCREENSHOT_DIRECTORY]
"""

import json
import pathlib
import sys

sys.dont_write_bytecode = True

from chromium import browser  # noqa: E402

ROWS = """[...document.querySelectorAll("%s tbody tr")].filter(row => !row.hidden)
    .map(row => row.querySelector("th b").textContent)"""
PROFILES = ROWS % "section[aria-labelledby=profiles-name]"
TESTS = ROWS % "section[aria-labelledby=tests-name]"


def main():
    page = pathlib.Path(sys.argv[1]).resolve()
    pictures = sys.argv[2] if len(sys.argv) > 2 else None
    found = {"looks": {}, "tooWide": []}
    with browser() as chromium:
        chromium.attach()
        chromium.look(1280, 900, "light", False)
        chromium.open(page.as_uri())
        found["profiles"] = chromium.evaluate(PROFILES)
        found["marks"] = chromium.evaluate("document.querySelectorAll('.mark[aria-label]').length")
        found["budgets"] = chromium.evaluate("document.querySelectorAll('.trend .budget[d^=M]').length")
        for device, width, height in (("desktop", 1280, 900), ("phone", 360, 800)):
            for scheme in ("light", "dark"):
                chromium.look(width, height, scheme, device == "phone")
                found["looks"][f"{device}-{scheme}"] = chromium.axe()
                found["tooWide"].append(
                    chromium.evaluate("document.documentElement.scrollWidth - innerWidth"))
                if pictures:
                    chromium.full_screenshot(f"{pictures}/history-{device}-{scheme}.png")
        chromium.evaluate("document.querySelector('button[data-show=missed]').click()")
        found["missed"] = chromium.evaluate(PROFILES)
        chromium.open("about:blank")
        chromium.open(page.as_uri() + "#q=large&profiles=-seconds")
        found["tests"] = sorted(set(chromium.evaluate(TESTS)))
        print(json.dumps({**found, **chromium.outside()}))


main()
