"""Sends back what it gets over TCP: echo.py PORT"""

import asyncio
import sys


async def echo(reader, writer):
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()
    writer.close()


async def main():
    server = await asyncio.start_server(echo, None, int(sys.argv[1]))
    await server.serve_forever()


asyncio.run(main())
