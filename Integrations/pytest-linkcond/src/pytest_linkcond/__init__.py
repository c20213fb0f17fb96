"""Puts the connections of each test on a network of its own."""

from .proxy import LinkcondError, Listener, Proxy

__all__ = ["LinkcondError", "Listener", "Proxy"]
