"""Opens the report of a large matrix in headless Chromium, and cells in the files beside it.

usage: browse_large.py REPORT.html
"""

import json
import pathlib
import sys

sys.dont_write_bytecode = True

from chromium import browser  # noqa: E402

PLACE = """({
    file: location.pathname.split("/").pop(), address: location.hash.slice(1),
    cells: [...document.querySelectorAll(".cell")].filter(cell => cell.checkVisibility())
        .map(cell => cell.querySelector("h1").textContent),
})"""


def main():
    page = pathlib.Path(sys.argv[1]).resolve().as_uri()
    steps, axe = [], []
    with browser() as chromium:
        chromium.attach()
        chromium.look(1280, 900, "light", False)

        def arrive(file, hash):
            chromium.until(f"location.pathname.endsWith('/{file}') && location.hash.startsWith('#{hash}')"
                           " && document.readyState === 'complete'")
            steps.append(chromium.evaluate(PLACE))
            axe.extend(chromium.axe())

        chromium.open(page + "#show=failed&profiles=-failed")
        arrive("report.html", "show")
        # All cells of a profile are in a list that has to be opened.
        chromium.evaluate("document.querySelector('.signs details').open = true")
        chromium.evaluate("document.querySelector('.dots a[href$=\"#cell-200\"]').click()")
        arrive("cells-8.html", "cell-200")
        chromium.press("ArrowRight", 39)
        arrive("cells-9.html", "cell-201")
        chromium.press("ArrowLeft", 37)
        arrive("cells-8.html", "cell-200")
        chromium.press("Escape", 27)
        arrive("report.html", "show")
        # Some CI engines let no script run.
        chromium.call("Emulation.setScriptExecutionDisabled", value=True)
        chromium.hasScript = False
        chromium.open(page)
        chromium.click(".sign.failed")
        chromium.until("location.pathname.endsWith('/cells-2.html') && !!document.querySelector('.cell:target')")
        steps.append(chromium.evaluate(PLACE))
        print(json.dumps({"steps": steps, "axe": axe, **chromium.outside()}))


main()
