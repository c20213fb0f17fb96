"""The fixture `linkcond_proxy` and the marker `network`."""

import itertools

import pytest

from .proxy import BASELINE, LinkcondError, Proxy

_numbers = itertools.count(1)


def pytest_addoption(parser):
    parser.addini("linkcond_binary", "The linkcond program to use.", default="")


def pytest_configure(config):
    config.addinivalue_line(
        "markers",
        "network(profile, set=[]): the profile of the links that the fixture linkcond_proxy makes, "
        "with changes such as down.loss=2%.")


def pytest_runtest_setup(item):
    # A usage error at the collection would end a worker of xdist without its reason.
    marker = item.get_closest_marker("network")
    if marker is None:
        return
    if len(marker.args) != 1 or set(marker.kwargs) - {"set"}:
        pytest.fail(
            "write the marker as network(\"3G\"), or with changes as "
            "network(\"3G\", set=[\"down.loss=2%\"])", pytrace=False)
    if "linkcond_proxy" not in getattr(item, "fixturenames", ()):
        pytest.fail(
            "the marker network has no effect without the fixture linkcond_proxy, through which "
            "the test's connections have to go", pytrace=False)


@pytest.fixture(scope="session")
def _linkcond(request):
    proxy = Proxy(request.config.getini("linkcond_binary") or None)
    yield proxy
    proxy.close()


@pytest.fixture
def linkcond_proxy(request, _linkcond):
    """A function that puts a listener in front of a target, on a link of the test's own."""
    marker = request.node.get_closest_marker("network")
    profile = marker.args[0] if marker else BASELINE
    changes = marker.kwargs.get("set", ()) if marker else ()
    listeners = []

    def listen(target, name=None):
        # The test's name is for who reads the proxy's state.
        name = name or f"{request.node.name} {next(_numbers)}"
        listener = _linkcond.listen(target, profile, changes, name)
        listeners.append(listener)
        return listener

    yield listen
    for listener in listeners:
        try:
            listener.close()
        except LinkcondError:
            # The test has closed it, or the proxy has ended, which the next test will say.
            pass
