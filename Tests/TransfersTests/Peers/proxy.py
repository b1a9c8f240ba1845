#!/usr/bin/env python3
"""An HTTP proxy for CONNECT alone, which logs the places it was asked for.

With `--answer N` it refuses everything with that status. With `--endless` the body of that answer never
ends, and with `--endless-head` its header does not. With `--certificate` and `--key` it opens
the TLS that it should pass on: it shows that certificate in place of whom it was asked for. It prints
`port N` once it listens.
"""
import argparse
import socket
import ssl
import threading

options = argparse.ArgumentParser()
options.add_argument("--log", required=True)
options.add_argument("--answer", type=int)
options.add_argument("--endless", action="store_true")
options.add_argument("--endless-head", action="store_true")
options.add_argument("--certificate")
options.add_argument("--key")
options = options.parse_args()
context = None
if options.certificate:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(options.certificate, options.key)
log = open(options.log, "a", buffering=1)


def copy(source, target):
    try:
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def serve(client):
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        part = client.recv(4096)
        if not part:
            return
        head += part
    method, place, _ = head.decode().split("\r\n")[0].split(" ")
    log.write(f"{method} {place}\n")
    if options.endless_head:
        client.sendall(f"HTTP/1.1 {options.answer} Perhaps\r\n".encode())
        try:
            while True:
                client.sendall(b"X-More: to come\r\n" * 4096)
        except OSError:
            return
    if options.endless:
        client.sendall(f"HTTP/1.1 {options.answer} No\r\nContent-Length: 100000000\r\n\r\n".encode())
        try:
            while True:
                client.sendall(bytes(65536))
        except OSError:
            return
    if options.answer:
        client.sendall(f"HTTP/1.1 {options.answer} No\r\nContent-Length: 0\r\n\r\n".encode())
        client.close()
        return
    if context:
        client.sendall(b"HTTP/1.1 200 Connected\r\n\r\n")
        try:
            context.wrap_socket(client, server_side=True).recv(1)
        except OSError:
            pass
        return
    host, _, port = place.rpartition(":")
    server = socket.create_connection((host, int(port)))
    client.sendall(b"HTTP/1.1 200 Connected\r\n\r\n")
    threading.Thread(target=copy, args=(server, client), daemon=True).start()
    copy(client, server)


listener = socket.create_server(("127.0.0.1", 0))
print(f"port {listener.getsockname()[1]}", flush=True)
while True:
    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
