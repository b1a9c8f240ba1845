#!/usr/bin/python3
"""A mail server (aiosmtpd) that takes, defers, refuses, dawdles or hangs up, by the recipient's name.

It prints `port N` once it listens. Each mail that it took adds a JSON line to the log, and so does
each login. The recipient's local part says what becomes of a mail: `never…` is refused for good
(550), `later…` for as long as the file of --broken exists, `drop…` ends the connection before an
answer to RCPT, `lost…` after the mail was taken and before that is said, `slow…` takes it and says so
after --delay seconds.
"""
import argparse
import asyncio
import json
import os
import ssl

from aiosmtpd.smtp import SMTP, AuthResult

options = argparse.ArgumentParser()
options.add_argument("--certificate")
options.add_argument("--key")
options.add_argument("--implicit", action="store_true", help="TLS from the first byte")
options.add_argument("--user")
options.add_argument("--password")
options.add_argument("--log", required=True)
options.add_argument("--broken", default="", help="a file: while it exists, mail is deferred")
options.add_argument("--delay", type=float, default=0)
options.add_argument("--greeting", help="say this, then nothing; no mail server at all")
options.add_argument("--port", type=int, default=0)
options = options.parse_args()

log = open(options.log, "a", buffering=1)


class Handler:
    async def handle_RCPT(self, server, session, envelope, address, rcpt_options):
        if address.startswith("never"):
            return "550 5.1.1 no such user here"
        if address.startswith("later") and os.path.exists(options.broken):
            return "451 4.7.1 come back later"
        if address.startswith("drop"):
            server.transport.abort()
            return "250 OK"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        (recipient,) = envelope.rcpt_tos
        log.write(json.dumps({
            "from": envelope.mail_from,
            "to": recipient,
            "tls": options.implicit or session.ssl is not None,
            "login": session.auth_data if session.authenticated else None,
            "peer": session.peer[1],
            "message": envelope.original_content.decode(),
        }) + "\n")
        if recipient.startswith("slow"):
            await asyncio.sleep(options.delay)
        if recipient.startswith("lost"):
            server.transport.abort()
        return "250 taken"


def authenticate(server, session, envelope, mechanism, data):
    fits = data.login == options.user.encode() and data.password == options.password.encode()
    return AuthResult(success=fits, handled=fits, auth_data=data.login.decode())


def context():
    if not options.certificate:
        return None
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.load_cert_chain(options.certificate, options.key)
    return made


def protocol():
    return SMTP(
        Handler(), hostname="mail.test", loop=loop,
        tls_context=None if options.implicit else context(),
        authenticator=authenticate if options.user else None,
        auth_required=options.user is not None,
        auth_require_tls=not options.implicit and options.certificate is not None)


async def greet(reader, writer):
    writer.write(options.greeting.encode())
    await writer.drain()
    await reader.read(-1)


async def serve():
    if options.greeting is not None:
        server = await asyncio.start_server(greet, "127.0.0.1", options.port)
    else:
        server = await loop.create_server(
            protocol, "127.0.0.1", options.port, ssl=context() if options.implicit else None)
    print(f"port {server.sockets[0].getsockname()[1]}", flush=True)
    await server.serve_forever()


loop = asyncio.new_event_loop()
asyncio.set_event_loop(loop)
loop.run_until_complete(serve())
