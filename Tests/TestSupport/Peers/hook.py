#!/usr/bin/python3
"""An HTTPS server that takes webhooks and heartbeats, and logs each with what it answered.

It prints `port N` once it listens. It answers with the status in the file of --status, if there is
one, else 200; 302 points at another of its own paths. With --secret it verifies `Purser-Signature`.
"""
import argparse
import hashlib
import hmac
import http.server
import json
import os
import ssl
import threading
import time

options = argparse.ArgumentParser()
options.add_argument("--certificate", required=True)
options.add_argument("--key", required=True)
options.add_argument("--log", required=True)
options.add_argument("--status", required=True)
options.add_argument("--secret", default="")
options.add_argument("--port", type=int, default=0)
options = options.parse_args()

log = open(options.log, "a", buffering=1)
lock = threading.Lock()


def is_signed(header, body):
    fields = dict(part.split("=", 1) for part in (header or "").split(",") if "=" in part)
    signed = fields.get("t", "").encode() + b"." + body
    code = hmac.new(options.secret.encode(), signed, hashlib.sha256).hexdigest()
    return hmac.compare_digest(code, fields.get("v1", ""))


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        status = 200
        if os.path.exists(options.status):
            with open(options.status) as file:
                status = int(file.read() or 200)
        if status == 0:  # taken, but nobody says so
            status, hangs = 200, True
        else:
            hangs = False
        with lock:
            log.write(json.dumps({
                "path": self.path,
                "type": self.headers["Content-Type"],
                "signed": is_signed(self.headers["Purser-Signature"], body),
                "signature": self.headers["Purser-Signature"],
                "status": status,
                "body": body.decode(),
            }) + "\n")
        if hangs:
            time.sleep(60)
        self.send_response(status)
        if status == 302:
            self.send_header("Location", "/elsewhere")
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *arguments):
        pass


context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(options.certificate, options.key)
server = http.server.ThreadingHTTPServer(("127.0.0.1", options.port), Handler)
server.socket = context.wrap_socket(server.socket, server_side=True)
print(f"port {server.server_address[1]}", flush=True)
server.serve_forever()
