# Prints what Qt 6's QNetworkInformation says, as a line of JSON, and again after each of its
# signals.
import json
import sys

from PyQt6.QtCore import QCoreApplication, QTimer
from PyQt6.QtNetwork import QNetworkInformation

application = QCoreApplication(sys.argv)
QNetworkInformation.loadBackendByFeatures(QNetworkInformation.Feature.Metered)
information = QNetworkInformation.instance()
deaf = []


def say(*_):
    print(json.dumps({
        "backend": information.backendName(),
        "metered": information.isMetered(),
        "medium": information.transportMedium().name,
        "reachability": information.reachability().name,
        **({"deaf to": ", ".join(deaf)} if deaf else {}),
    }), flush=True)


information.isMeteredChanged.connect(say)
for name in ("transportMediumChanged", "reachabilityChanged"):
    try:
        getattr(information, name).connect(say)
    except TypeError:
        # PyQt 6.4 misspells the arguments of one; programs in C++ can connect to it.
        deaf.append(name)
QTimer.singleShot(0, say)
sys.exit(application.exec())
