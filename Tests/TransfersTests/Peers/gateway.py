#!/usr/bin/env python3
"""An HTTPS server with bad manners, one per path, that logs whom it talked to.

It prints `port N` once it listens. Every request adds a JSON line to the log: the path, the number
of its connection, the client certificate's subject and serial, whether the connection resumed a TLS
session, and how many bytes of body came.
"""
import argparse
import json
import random
import socket
import ssl
import struct
import threading
import time

options = argparse.ArgumentParser()
options.add_argument("--certificate", required=True)
options.add_argument("--key", required=True)
options.add_argument("--authority", help="demand a client certificate issued under this one")
options.add_argument("--plain", action="store_true", help="speak no TLS at all")
options.add_argument("--only", choices=["1.2", "1.3"])
options.add_argument("--log", required=True)
options.add_argument("--leave", type=float, default=0, help="how probably to close after an answer")
options.add_argument("--delay", type=float, default=0, help="seconds before each answer")
options = options.parse_args()

context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(options.certificate, options.key)
if options.authority:
    context.load_verify_locations(options.authority)
    context.verify_mode = ssl.CERT_REQUIRED
if options.only:
    context.minimum_version = context.maximum_version = {
        "1.2": ssl.TLSVersion.TLSv1_2,
        "1.3": ssl.TLSVersion.TLSv1_3,
    }[options.only]

log = open(options.log, "a", buffering=1)
log_lock = threading.Lock()
dice = random.Random(7)


def read_request(stream):
    """The path, the header lines and the body; None at the end of the connection."""
    line = stream.readline().decode()
    if not line:
        return None
    method, path, _ = line.split(" ")
    headers, length = [], 0
    while True:
        header = stream.readline().decode().rstrip("\r\n")
        if not header:
            break
        headers.append(header)
        name, _, value = header.partition(":")
        if name.lower() == "content-length":
            length = int(value)
    return method, path, headers, stream.read(length)


def answer(body, status="200 OK", headers=()):
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers, "", ""]
    return "\r\n".join(lines).encode() + body


def respond(connection, request):
    """Answers one request; false when the connection is to be closed now."""
    method, path, headers, body = request
    send = connection.sendall
    what, _, argument = path.lstrip("/").partition("/")
    if what == "echo":
        send(answer(body, headers=["Content-Type: application/octet-stream", f"X-Method: {method}"]))
    elif what == "headers":
        send(answer(json.dumps(headers).encode()))
    elif what == "status":
        send(answer(b'{"statusCode":"%s"}' % argument.encode(), status=f"{argument} Said So"))
    elif what == "redirect":
        send(answer(b"", status="302 Found", headers=["Location: https://localhost:1/elsewhere"]))
    elif what == "gzip":
        send(answer(b"\x1f\x8b not really", headers=["Content-Encoding: gzip"]))
    elif what == "interim":
        send(b"HTTP/1.1 103 Early Hints\r\nX-Early: yes\r\n\r\n" + answer(b"late"))
    elif what == "chunked":
        send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n")
    elif what == "twice":  # with an answer that nobody asked for, in the same packet
        time.sleep(int(argument or 0) / 1000)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 1)
        send(answer(body))
        send(answer(b"unasked"))
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 0)
    elif what == "afterthought":  # the same a little later, when the connection is idle
        send(answer(body))
        time.sleep(int(argument) / 1000)
        send(answer(b"unasked"))
    elif what == "slow":
        time.sleep(int(argument) / 1000)
        send(answer(b"slow"))
    elif what == "close":  # without a word before
        send(answer(body))
        return False
    elif what == "farewell":
        send(answer(body, headers=["Connection: close"]))
        return False
    elif what == "silence":
        return False
    elif what == "reset":
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        socket.socket.close(connection)
        return False
    elif what == "truncated":
        send(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nonly this")
        return False
    elif what == "huge":
        send(answer(bytes(1_000_000)))
    elif what == "endless":  # no length, more and more
        send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        while True:
            send(b"2000\r\n" + bytes(0x2000) + b"\r\n")
    elif what == "headline":
        send(b"HTTP/1.1 200 OK\r\nX-Long: " + b"a" * 200_000 + b"\r\n\r\n")
    elif what == "headlines":
        send(b"HTTP/1.1 200 OK\r\n" + b"X-Many: aaaaaaaaaaaaaaaaaaaa\r\n" * 5_000 + b"\r\n")
    elif what == "garbage":
        send(b"SSH-2.0-OpenSSH_9.2\r\n")
        return False
    elif what == "idle":  # answers, and closes a little later
        send(answer(b"idle"))
        time.sleep(int(argument) / 1000)
        return False
    return True


def serve(plain, number):
    try:
        connection = plain if options.plain else context.wrap_socket(plain, server_side=True)
    except (ssl.SSLError, OSError) as problem:
        with log_lock:
            log.write(json.dumps({"connection": number, "refused": str(problem)}) + "\n")
        plain.close()
        return
    try:
        certificate = {} if options.plain else connection.getpeercert() or {}
        subject = {name: value for ((name, value),) in certificate.get("subject", ())}
        stream = connection.makefile("rb")
        while request := read_request(stream):
            with log_lock:
                log.write(json.dumps({
                    "connection": number,
                    "path": request[1],
                    "subject": subject.get("userId", ""),
                    "serial": certificate.get("serialNumber", ""),
                    "resumed": not options.plain and bool(connection.session_reused),
                    "length": len(request[3]),
                }) + "\n")
                leave = dice.random() < options.leave
            time.sleep(options.delay)
            if not respond(connection, request) or leave:
                break
        try:
            connection.unwrap()  # close_notify, as a polite server sends it
        except (ssl.SSLError, OSError, ValueError, AttributeError):
            pass
    except (ssl.SSLError, OSError, ValueError):
        pass
    finally:
        connection.close()


listener = socket.create_server(("127.0.0.1", 0), backlog=512)
print(f"port {listener.getsockname()[1]}", flush=True)
count = 0
while True:
    accepted, _ = listener.accept()
    accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    count += 1
    threading.Thread(target=serve, args=(accepted, count), daemon=True).start()
