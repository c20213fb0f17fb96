# networkinformation.py COMMAND...: prints what Qt says of the network, and again after each shell
# command, once Qt says something else: back end, metered, transport medium.
import subprocess
import sys

from PyQt6.QtCore import QCoreApplication, QTimer
from PyQt6.QtNetwork import QNetworkInformation

PATIENCE = 30_000
# A change may come as several signals, all in a few milliseconds. PyQt cannot connect to that of
# the medium.
PAUSE = 200
application = QCoreApplication(sys.argv)
if not QNetworkInformation.loadBackendByFeatures(QNetworkInformation.Feature.Metered):
    sys.exit("Qt has no back end that knows whether a network is metered")
information = QNetworkInformation.instance()
commands = sys.argv[1:]
shown = latest = None


def look():
    global shown, latest
    previous = latest
    latest = (information.isMetered(), information.transportMedium().name)
    if latest == shown or latest != previous:
        return
    shown = latest
    print(information.backendName(), *shown, flush=True)
    if not commands:
        application.quit()
        return
    subprocess.run(commands.pop(0), shell=True, check=True, stdout=sys.stderr)


timer = QTimer(interval=PAUSE)
timer.timeout.connect(look)
timer.start()
QTimer.singleShot(PATIENCE, lambda: application.exit(1))
sys.exit(application.exec())
