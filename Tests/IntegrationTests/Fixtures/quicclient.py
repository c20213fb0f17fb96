"""Downloads by HTTP/3, and goes on where it was when the network changes.

quicclient.py LINKCOND HOST PORT [ping] prints the SHA-256 of what came. LINKCOND tells of the path.

Nothing comes any more from a network that is gone, so a client that only downloads has nothing to
send either, and the server never learns where it is now. As an app does it that watches its path,
this one then turns to another connection ID and sends a packet. Its socket is bound to no address:
what it sends goes the way that the routes say now. With `ping` it sends packets all the time, as
clients behind a NAT have to that forgets them: nobody tells them when it does.
"""
import asyncio
import hashlib
import json
import ssl
import sys

from aioquic.asyncio import QuicConnectionProtocol, connect
from aioquic.h3.connection import H3_ALPN, H3Connection
from aioquic.h3.events import DataReceived
from aioquic.quic.configuration import QuicConfiguration

linkcond, host, port, *words = sys.argv[1:]


class Client(QuicConnectionProtocol):
    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.http, self.checksum, self.end = H3Connection(self._quic), hashlib.sha256(), None

    async def download(self, path):
        self.end = asyncio.get_running_loop().create_future()
        fields = {":method": "GET", ":scheme": "https", ":authority": host, ":path": path}
        self.http.send_headers(
            self._quic.get_next_available_stream_id(),
            [(name.encode(), value.encode()) for name, value in fields.items()], end_stream=True)
        self.transmit()
        await self.end
        return self.checksum.hexdigest()

    def quic_event_received(self, event):
        for part in self.http.handle_event(event):
            if isinstance(part, DataReceived):
                self.checksum.update(part.data)
                if part.stream_ended:
                    self.end.set_result(None)


async def follow_path(client):
    watcher = await asyncio.create_subprocess_exec(
        linkcond, "path", "--watch", "--json", stdout=asyncio.subprocess.PIPE)
    current = None
    async for line in watcher.stdout:
        used = [one["name"] for one in json.loads(line)["interfaces"] if one["isUsed"]]
        if not used or used[0] == current:
            continue
        if current is not None:
            client.change_connection_id()
            await client.ping()
            print("migrated from", current, "to", used[0], flush=True)
        current = used[0]


async def keep_known(client):
    while True:
        await asyncio.sleep(0.25)
        await client.ping()


async def main():
    configuration = QuicConfiguration(
        alpn_protocols=H3_ALPN, verify_mode=ssl.CERT_NONE, idle_timeout=60)
    async with connect(
            host, int(port), configuration=configuration, create_protocol=Client) as client:
        beside = [asyncio.create_task(follow_path(client))]
        if "ping" in words:
            beside.append(asyncio.create_task(keep_known(client)))
        print(await client.download("/"))
        for task in beside:
            task.cancel()


asyncio.run(main())
