"""A name server on 127.0.0.1 and another on 127.0.0.2, whose datagrams have room for few answers.

By UDP the first says that its answer has no room, but for `servfail`, and for `mapped`, which has an
IPv4-mapped address. By TCP it answers for `whole`; the other names say what it does instead. The second
knows `other`, which the first leaves unanswered by TCP.
"""

import socket
import struct
import threading

ADDRESS = {1: bytes([127, 0, 0, 1])}
MAPPED = {28: bytes(10) + b"\xff\xff\x7f\0\0\x01"}
SERVFAIL, NXDOMAIN, TRUNCATED = 2, 3, 0x200


def read(question):
    """The first label of the name asked for, the type, and where the question ends."""
    end = question.index(0, 12) + 5
    return question[13:13 + question[12]].decode(), question[end - 3], end


def answer(question, flags=0, records={}):
    _, kind, end = read(question)
    data = records.get(kind)
    record = b"\xc0\x0c" + struct.pack(">HHIH", kind, 1, 5, len(data)) + data if data else b""
    return (question[:2] + struct.pack(">HHHHH", 0x8180 | flags, 1, bool(data), 0, 0)
            + question[12:end] + record)


def first(question):
    match read(question)[0]:
        case "servfail":
            return answer(question, SERVFAIL)
        case "mapped":
            return answer(question, records=MAPPED)
    return answer(question, TRUNCATED)


def second(question):
    if read(question)[0] == "other":
        return answer(question, records=ADDRESS)
    return answer(question, NXDOMAIN)


def serve_datagrams(address, reply):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind((address, 53))
        while True:
            question, client = server.recvfrom(4096)
            server.sendto(reply(question), client)


def serve_streams():
    kept = []
    with socket.create_server(("127.0.0.1", 53)) as server:
        while True:
            client = server.accept()[0]
            question = client.recv(4096)[2:]
            message = answer(question, records=ADDRESS)
            framed = struct.pack(">H", len(message)) + message
            match read(question)[0]:
                case "whole":
                    for byte in framed:
                        client.sendall(bytes([byte]))
                case "silent":
                    kept.append(client)
                    continue
                case "half":
                    client.sendall(framed[:20])
                case "garbage":
                    client.sendall(b"\0\x06gar" + b"bage")
            client.close()


threading.Thread(target=serve_datagrams, args=("127.0.0.2", second), daemon=True).start()
threading.Thread(target=serve_streams, daemon=True).start()
serve_datagrams("127.0.0.1", first)
