"""An HTTP/3 server: quicserver.py DIRECTORY PORT SIZE [ADDRESS]

Answers every request with SIZE bytes, whose SHA-256 it writes to DIRECTORY/checksum. Each address
from which a connection's packets come gets a line in DIRECTORY/addresses when it is new: the number
of the connection and the address. Each port of it, too, gets a line in DIRECTORY/ports. Listens on TCP also, which tells that it is ready.
"""
import asyncio
import datetime
import hashlib
import itertools
import pathlib
import random
import sys

from aioquic.asyncio import QuicConnectionProtocol, serve
from aioquic.h3.connection import H3_ALPN, H3Connection
from aioquic.h3.events import HeadersReceived
from aioquic.quic.configuration import QuicConfiguration
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

directory, port, size = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
content = random.Random(size).randbytes(size)
numbers = itertools.count(1)


class Protocol(QuicConnectionProtocol):
    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.http, self.number, self.addresses, self.ports = None, next(numbers), set(), set()

    def datagram_received(self, data, address):
        host = address[0].removeprefix("::ffff:")
        if host not in self.addresses:
            self.addresses.add(host)
            with open(directory / "addresses", "a") as log:
                print(self.number, host, file=log)
        if address[:2] not in self.ports:
            self.ports.add(address[:2])
            with open(directory / "ports", "a") as log:
                print(self.number, host, address[1], file=log)
        super().datagram_received(data, address)

    def quic_event_received(self, event):
        if self.http is None:
            self.http = H3Connection(self._quic)
        for part in self.http.handle_event(event):
            if isinstance(part, HeadersReceived):
                self.http.send_headers(part.stream_id, [(b":status", b"200")])
                self.http.send_data(part.stream_id, content, end_stream=True)
                self.transmit()


def certificate():
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "server.linkcond")])
    now, day = datetime.datetime.now(datetime.timezone.utc), datetime.timedelta(days=1)
    builder = x509.CertificateBuilder(
        name, name, key.public_key(), x509.random_serial_number(), now - day, now + day)
    return builder.sign(key, hashes.SHA256()), key


async def main():
    (directory / "checksum").write_text(hashlib.sha256(content).hexdigest() + "\n")
    configuration = QuicConfiguration(is_client=False, alpn_protocols=H3_ALPN)
    configuration.certificate, configuration.private_key = certificate()
    # Not "::": answers would come from the address of an interface, and clients ignore those.
    host = sys.argv[4] if len(sys.argv) > 4 else "server.linkcond"
    await serve(host, port, configuration=configuration, create_protocol=Protocol)
    await asyncio.start_server(lambda _, writer: writer.close(), port=port)
    await asyncio.Future()


asyncio.run(main())
