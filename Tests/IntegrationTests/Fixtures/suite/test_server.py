"""A suite as an app might have one: what it needs comes within three seconds."""

import time

import requests

SERVER = "http://server.linkcond:8000"
SECONDS = 3


def fetch(name):
    deadline = time.monotonic() + SECONDS
    body = b""
    with requests.get(f"{SERVER}/{name}", timeout=SECONDS, stream=True) as response:
        response.raise_for_status()
        for part in response.iter_content(4096):
            body += part
            if time.monotonic() > deadline:
                raise requests.exceptions.ReadTimeout(f"{name} took longer than {SECONDS} s")
    return body


def test_server_answers():
    assert fetch("small") == b"hello\n"


def test_download():
    assert len(fetch("large")) == 80_000
