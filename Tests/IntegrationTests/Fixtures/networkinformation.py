# networkinformation.py COMMAND...: prints what Qt says of the network, and again after each shell
# command, once Qt has told that it is metered or no longer: back end, metered, transport medium.
import subprocess
import sys

from PyQt6.QtCore import QCoreApplication, QTimer
from PyQt6.QtNetwork import QNetworkInformation

PATIENCE = 30_000
application = QCoreApplication(sys.argv)
if not QNetworkInformation.loadBackendByFeatures(QNetworkInformation.Feature.Metered):
    sys.exit("Qt has no back end that knows whether a network is metered")
information = QNetworkInformation.instance()
commands = sys.argv[1:]


def step():
    print(
        information.backendName(),
        information.isMetered(),
        information.transportMedium().name,
        flush=True,
    )
    if not commands:
        application.quit()
        return
    subprocess.run(commands.pop(0), shell=True, check=True, stdout=sys.stderr)


information.isMeteredChanged.connect(lambda _: step())
QTimer.singleShot(0, step)
QTimer.singleShot(PATIENCE, lambda: application.exit(1))
sys.exit(application.exec())
