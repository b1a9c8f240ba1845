"""A hostile client: hostile.py PORT PID CONNECTIONS, with a JSON object of tokens on standard input.

It sends what no sound client sends, while a sound one beside it asks on and must be answered, and
looks at the service's memory. It prints what it has done, one fault a line behind `FAULT`, and exits
with 1 when there was one.
"""
import base64
import json
import os
import socket
import sys
import threading
import time

port, pid, connections = (int(word) for word in sys.argv[1:4])
# With few connections it is a sanitizer's service, whose time and memory mean nothing.
is_measured = connections >= 5_000
tokens = json.load(sys.stdin)
operator, auditor, checkout = (tokens[role] for role in ("operator", "auditor", "checkout"))
faults = []
shop = b"merchant.com.example.shop"
# Whoever can start a line in the log, or a field in an answer, leaves this there.
planted = b'{"event":"planted"}'


def connect():
    link = socket.create_connection(("127.0.0.1", port))
    link.settimeout(8)
    return link


def answer(link, before=b""):
    """The next answer's status, head and body; 0 where the connection ended without one."""
    data = before
    try:
        while b"\r\n\r\n" not in data:
            part = link.recv(65536)
            if not part:
                return (0, data, b"", b"") if not data.startswith(b"HTTP/1.1 ") else (-1, data, b"", b"")
            data += part
        head, rest = data.split(b"\r\n\r\n", 1)
        status = int(head.split(b" ", 2)[1])
        if status == 100:
            return answer(link, rest)
        length = next((int(line.split(b":")[1]) for line in head.split(b"\r\n")
                       if line.lower().startswith(b"content-length:")), 0)
        while len(rest) < length:
            part = link.recv(65536)
            if not part:
                return -1, head, rest, b""
            rest += part
        return status, head, rest[:length], rest[length:]
    except ConnectionError:
        return 0, data, b"", b""


def request(method=b"GET", target=b"/healthz", headers=(), body=None, version=b"HTTP/1.1",
            host=b"localhost"):
    lines = [method + b" " + target + b" " + version]
    if host is not None:
        lines.append(b"Host: " + host)
    lines += headers
    if body is not None:
        lines.append(b"Content-Length: %d" % len(body))
    return b"\r\n".join(lines) + b"\r\n\r\n" + (body or b"")


def bearer(token):
    return b"Authorization: Bearer " + token.encode()


json_type = b"Content-Type: application/json"


def order(body, *headers):
    return request(b"POST", b"/v1/merchant-sessions", [json_type, *headers], body)


# What may come of a request: statuses, 0 for a connection that ends without an answer.
refused = set(range(400, 500)) | {0, 501, 505}
served = {200}
either = served | refused


class Cases:
    def __init__(self):
        self.count = 0

    def __call__(self, name, data, expected=refused):
        self.count += 1
        # An end tells the server not to wait for more; where there is a sound answer, it would not come.
        half = expected in (refused, either)
        link = connect()
        try:
            link.sendall(data)
            if half:
                link.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # it was refused before its end
        try:
            status, head, body, _ = answer(link)
        except TimeoutError:
            status, head, body = -2, b"", b""
        if status not in expected:
            faults.append(f"{name}: {status} {head[:200]!r} {body[:300]!r}")
        if b"planted:" in head.lower():
            faults.append(f"{name}: planted in {head!r}")
        if status >= 400 and b"application/problem+json" in head:
            if json.loads(body)["status"] != status:
                faults.append(f"{name}: {status} with {body!r}")
        link.close()


case = Cases()

evil = {
    "NUL": b"\0", "line feed": b"\n" + planted + b"\n", "return": b"\r" + planted + b"\r",
    "line end": b"\r\nPlanted: yes", "two line ends": b"\r\n\r\nGET /planted HTTP/1.1\r\nHost: a",
    "escape": b"\x1b[2J", "delete": b"\x7f", "not UTF-8": b"\xff\xfe", "overlong NUL": b"\xc0\x80",
    "surrogate": b"\xed\xa0\x80", "line separator": "\u2028".encode(), "backspace": b"\b" * 20,
}


def every_field():
    for name, bad in evil.items():
        own_line = bad.startswith(b"\r\n")  # then it is a sound field of its own, or an end
        soft = either if own_line or bad[0] >= 0x80 else refused
        case(f"{name} in the path", request(target=b"/health" + bad + b"z"))
        case(f"{name} in the query", request(target=b"/v1/audit?a" + bad + b"b=c",
                                             headers=[bearer(auditor)]))
        case(f"{name} in the method", request(method=b"G" + bad + b"ET"))
        case(f"{name} in the version", request(version=b"HTTP/1" + bad + b".1"))
        case(f"{name} in Host", request(host=b"local" + bad + b"host"), soft)
        case(f"{name} in a name", request(headers=[b"X-" + bad + b"A: b"]), soft)
        case(f"{name} in a value", request(headers=[b"X-A: b" + bad + b"c"]), soft)
        case(f"{name} in a token", request(
            target=b"/v1/merchants", headers=[bearer(auditor) + bad]), either if own_line else refused)
        case(f"{name} in a type", request(
            b"POST", b"/v1/merchant-sessions", [json_type + bad], b"{}"))
        case(f"{name} in X-Forwarded-For", request(
            target=b"/v1/merchants", headers=[bearer(auditor), b"X-Forwarded-For: 1.1.1.1" + bad]), either)
        case(f"{name} in a length", b"POST /v1/merchant-sessions HTTP/1.1\r\nHost: localhost\r\n"
             + json_type + b"\r\nContent-Length: 2" + bad + b"\r\n\r\n{}")
        escaped = b"".join(b"%%%02x" % byte for byte in bad)
        case(f"escaped {name} in an id", request(
            target=b"/v1/merchants/" + shop + escaped, headers=[bearer(auditor)]))
        case(f"escaped {name} in a domain", request(
            b"PUT", b"/v1/merchants/" + shop + b"/domains/a" + escaped + b".example.com",
            [bearer(operator)]))
        case(f"escaped {name} in a credential", request(
            target=b"/v1/certificates/7f3a9c01be4" + escaped, headers=[bearer(auditor)]))
        case(f"escaped {name} in a value", request(
            target=b"/v1/audit?actor=" + escaped, headers=[bearer(auditor)]), either)
        case(f"escaped {name} in a parameter's name", request(
            target=b"/v1/audit?act" + escaped + b"=x", headers=[bearer(auditor)]))
        as_json = b"".join(b"\\u%04x" % byte for byte in bad)
        for text, form in ((bad, "raw"), (as_json, "escaped")):
            for key in (b"domain", b"merchant", b"environment", b"validationURL"):
                rest = b"" if key == b"domain" else b'"domain":"shop.example.com",'
                case(f"{form} {name} in {key.decode()}", order(
                    b"{" + rest + b'"' + key + b'":"shop' + text + b'.example.com"}'))
            case(f"{form} {name} in a key", order(
                b'{"domain":"shop.example.com","x' + text + b'":"y"}'))
        case(f"{name} between values", order(b'{"domain":' + bad + b'"a.example"}'))
        made = {"id": "merchant.com.example.new", "name": "a" + bad.decode("latin-1") + "b"}
        for key in ("name", "displayName", "id", "team", "environments", "owners"):
            text = "a" + bad.decode("latin-1") + "b"
            value = [text] if key in ("environments", "owners") else text
            case(f"{name} in {key}", request(
                b"POST", b"/v1/merchants", [json_type, bearer(operator)],
                json.dumps({"id": "merchant.com.example.new", key: value}).encode()))


def bodies():
    deep = 10_000 // 2
    good = b'"domain":"shop.example.com"'
    for name, body in {
        "10,000 arrays": b"[" * 10_000, "10,000 objects": b'{"a":' * 3_000,
        "10,000 deep in a key": b'{"domain":' + b"[" * 10_000,
        "as deep, and closed": b'{"domain":' + b"[" * deep + b"]" * deep + b"}",
        "a number": b'{"domain":1}', "a number as a string": b'{"domain":"1"}',
        "a huge number": b'{"domain":' + b"9" * 10_000 + b"}", "1e400": b'{"domain":1e400}',
        "NaN": b'{"domain":NaN}', "-0": b'{"domain":-0}', "a fraction": b'{"domain":1.5}',
        "a long fraction": b'{"domain":0.' + b"0" * 10_000 + b"1}", "01": b'{"domain":01}',
        "null": b'{"domain":null}', "true": b'{"domain":true}', "an object": b'{"domain":{}}',
        "an array": b'{"domain":["shop.example.com"]}', "twice": b"{" + good + b"," + good + b"}",
        "twice, once escaped": b"{" + good + b',"dom\\u0061in":"evil.example.com"}',
        "twice below": b'{"domain":{"a":1,"a":2}}', "unknown": b"{" + good + b',"x":1}',
        "prototype": b"{" + good + b',"__proto__":{}}', "two objects": b"{" + good + b"}{}",
        "rest": b"{" + good + b"} x", "comma": b"{" + good + b",}", "comment": b"{" + good + b"/**/}",
        "quotes": b"{'domain':'shop.example.com'}", "BOM": b"\xef\xbb\xbf{" + good + b"}",
        "UTF-16": ('{"domain":"shop.example.com"}').encode("utf-16"),
        "UTF-32": ('{"domain":"shop.example.com"}').encode("utf-32-le"),
        "lone surrogate": b'{"domain":"\\ud800"}', "low first": b'{"domain":"\\udc00\\ud800"}',
        "bad escape": b'{"domain":"\\x41"}', "short escape": b'{"domain":"\\u00"}', "open": b'{"domain":"',
        "empty": b"", "blanks": b" " * 16_384, "a long key": b'{"' + b"k" * 16_000 + b'":1}',
        "many keys": b"{" + b",".join(b'"%x":1' % at for at in range(1_800)) + b"}",
        "a long domain": b'{"domain":"' + b"a." * 8_000 + b'com"}', "form": b"domain=shop.example.com",
        "XML": b'<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>',
    }.items():
        case(f"body: {name}", order(body))
    for name, body in {
        "owners": {"owners": ["a@b.example"] * 10_000}, "an owner": {"owners": [1]},
        "owners in owners": {"owners": [["a@b.example"]]}, "environments": {"environments": "lab"},
        "a team": {"team": 1234567890}, "display name": {"displayName": "x" * 65},
        "a flag": {"displayName": "\U0001f1e9\U0001f1ea"}, "bidi": {"displayName": "\u202eabc"},
        "marks": {"displayName": "a" + "\u0301" * 63},
    }.items():
        whole = json.dumps({"id": "merchant.com.example.new", **body}).encode()
        case(f"merchant: {name}", request(
            b"POST", b"/v1/merchants", [json_type, bearer(operator)], whole))
    # A flag's value of another type, and the same key twice, in every call that takes a body.
    made = b"/v1/certificates/" + tokens["credential"].encode()
    for path, key in ((b"/rehearse", b"environment"), (b"/activate", b"withoutRehearsal"),
                      (b"/activated", b"at"), (b"/retire", b"x")):
        for value in (b'"1"', b"1", b"[]", b"{}", b'"true"', b"9" * 400, b'{"a":1,"a":2}'):
            case(f"{path} {value[:20]}", request(
                b"POST", made + path, [json_type, bearer(operator)], b'{"' + key + b'":' + value + b"}"))
        case(f"{path} twice", request(
            b"POST", made + path, [json_type, bearer(operator)],
            b'{"' + key + b'":true,"' + key + b'":true}'))
    for body in (b'{"certificate":"-----BEGIN CERTIFICATE-----\\nAAAA\\n-----END CERTIFICATE-----"}',
                 b'{"certificate":"' + base64.b64encode(b"\x30\x80" * 3_000) + b'"}',
                 b'{"certificate":"' + base64.b64encode(b"\x30\x84\xff\xff\xff\xff") + b'"}'):
        case("no certificate", request(
            b"POST", b"/v1/merchants/" + shop + b"/certificates", [json_type, bearer(operator)], body))


def queries():
    for query in ("limit=0", "limit=-1", "limit=1001", "limit=1e2", "limit=+1", "limit=01", "limit= 1",
                  "limit=9223372036854775808", "limit=" + "9" * 2_000, "limit=1&limit=1", "limit",
                  "limit=", "limit=1&lim%69t=2", "after=-1", "after=x", "x=1", "=1", "since=yesterday",
                  "since=2026-13-01T00:00:00Z", "since=99999-01-01T00:00:00Z", "act=nothing",
                  "merchant=x", "actor=", "actor=" + "a" * 201, "%6cimit=x", "%ff=1", "limit=%ff",
                  "since=2026-01-01T00:00:00Z&since=2026-01-01T00:00:00Z"):
        case(f"?{query[:40]}", request(
            target=b"/v1/audit?" + query.encode(), headers=[bearer(auditor)]))
    # A page's Link is made from its request: nobody may write into it.
    link = connect()
    link.sendall(request(target=b"/v1/audit?limit=1&actor=%3E;rel=x>;rel=%22y%22&%61fter=0",
                         headers=[bearer(auditor)]))
    head = answer(link)[1]
    link.sendall(request(target=b"/v1/audit?limit=1&%61fter=0", headers=[bearer(auditor)]))
    status, head, _, _ = answer(link)
    shown = [line for line in head.split(b"\r\n") if line.startswith(b"Link:")]
    if status != 200 or shown != [b'Link: </v1/audit?after=1&limit=1>; rel="next"']:
        faults.append(f"a page's link: {status} {shown}")
    link.close()


def authorization():
    good = auditor.encode()
    ask = lambda *values: request(  # noqa: E731
        target=b"/v1/merchants", headers=[b"Authorization: " + value for value in values])
    case("token", ask(b"Bearer " + good), served)
    case("small scheme", ask(b"bearer " + good), served)
    case("great scheme", ask(b"BEARER " + good), served)
    flipped = bytes([good[-1] ^ 1])
    for value in (b"", b"Bearer", b"Bearer ", b"Bearer  " + good, b"Bearer\t" + good, b"Token " + good,
                  b"Bearer " + good + b" " + good, b"Bearer " + good + b",", b"Bearer " + good[:-1],
                  b"Bearer " + good + b"A", b"Bearer " + good + b"=", b"Bearer " + good.swapcase(),
                  b"Bearer " + good[:-1] + flipped, b"Bearer " + good[::-1], b"Bearer" + good, good,
                  b"Basic " + base64.b64encode(b"a:" + good), b"Bearer " + b"A" * 8_000,
                  b'Bearer "' + good + b'"', b"Bearer token=" + good, b"Digest username=x",
                  b"Bearer " + good + b";", b"Bearer " + good.replace(b"_", b"%5f"),
                  b"Negotiate " + b"A" * 100, "Bearer ｔｏｋｅｎ".encode(), b"Bearer null",
                  b"Bearer undefined", b"Bearer ../../etc/passwd", b"Bearer ' OR 1=1 --"):
        case(f"Authorization {value[:30]!r}", ask(value), {400, 401, 431})
    case("twice", ask(b"Bearer " + good, b"Bearer " + good), {401})
    case("twice, one empty", ask(b"Bearer " + good, b""), {400, 401})
    case("in the query", request(target=b"/v1/merchants?access_token=" + good), {400, 401})
    case("in a cookie", request(target=b"/v1/merchants", headers=[b"Cookie: token=" + good]), {401})
    case("as a proxy's", request(
        target=b"/v1/merchants", headers=[b"Proxy-Authorization: Bearer " + good]), {401})
    for name in (b"X-Original-URL", b"X-Rewrite-URL", b"X-HTTP-Method-Override", b"X-Forwarded-Host",
                 b"X-Forwarded-Prefix", b"X-Accel-Redirect"):
        case(f"{name}", request(target=b"/v1/merchants", headers=[name + b": /healthz"]), {401})


def paths():
    for path, expected in {
        b"/v1/merchants/%6derchant.com.example.shop": served,
        b"/v1/merchants/" + shop + b"?": served, b"/v1/merchants/%256derchant.com.example.shop": refused,
        b"/v1/merchants/" + shop + b"/": {404}, b"//v1/merchants": {404}, b"/v1//merchants": {404},
        b"/V1/merchants": {404}, b"/v1/./merchants": {404}, b"/v1/../v1/merchants": {404},
        b"/v1/%2e%2e/v1/merchants": {404}, b"/healthz/../v1/merchants": {404},
        b"/v1%2fmerchants": {404}, b"/%76%31/merchants": {404} | served, b"/v1/merchants;a=b": {404},
        b"/v1/merchants/" + shop + b"%2fcertificates": {404, 422, 400},
        b"/v1/merchants/..%2f..%2f..%2fetc%2fpasswd": refused, b"/v1/merchants/%c0%af": refused,
        b"/v1/merchants/%": refused, b"/v1/merchants/%4": refused, b"/v1/merchants/%zz": refused,
        b"/v1/merchants/%u0041": refused, b"/v1/merchants/" + b"a" * 10_000: refused,
        b"/v1/merchants/merchant.com." + b"a" * 300: refused, b"/v1/merchants/%20": refused,
        b"/v1/merchants/MERCHANT.com.example.shop": refused, b"/v1/certificates/0": refused,
        b"/v1/certificates/-1": refused, b"/v1/certificates/7F3A9C01BE42": refused,
        b"/v1/certificates/" + b"f" * 12: {404}, b"/v1/certificates/%27%20OR%201=1": refused,
        b"\\healthz": refused, b"*": refused, b"healthz": refused, b"/healthz#a": refused,
        b"http://localhost/healthz": refused, b"http://169.254.169.254/latest": refused,
        b"file:///etc/passwd": refused, b"localhost:80": refused, b"//evil.example.com/healthz": {404},
        b"/" + b"%61" * 5_000: refused, b"/?" + b"a" * 10_000: refused,
    }.items():
        case(f"path {path[:50]}", request(target=path, headers=[bearer(auditor)]), expected)
    for domain in (b"%2a.example.com", b"http:%2f%2fa.example.com", b"a.example.com:443", b"a@b.example",
                   b"127.0.0.1", b"%5b::1%5d", b"a.example.com%2fb", b"a..example.com", b"-a.example.com",
                   b"a" * 64 + b".com", b"a." * 130 + b"com", b"localhost", b"%e4.example", b".",
                   b"xn--%f0%9f%92%a9.example", b"a.example.com%23", b"a.example.com%3f", b"1.2.3.4."):
        case(f"domain {domain[:30]}", request(
            b"PUT", b"/v1/merchants/" + shop + b"/domains/" + domain, [bearer(operator)]))


def protocol():
    post = b"POST /v1/merchant-sessions HTTP/1.1\r\nHost: localhost\r\n" + json_type + b"\r\n"
    full = b'{"domain":"shop.example.com"}'
    chunk = b"%x\r\n%s\r\n0\r\n\r\n" % (len(full), full)
    length = b"Content-Length: %d\r\n" % len(full)
    smuggled = b"GET /planted HTTP/1.1\r\nHost: localhost\r\n\r\n"
    chunked = post + b"Transfer-Encoding: chunked\r\n\r\n"
    for name, data, expected in (
        ("HTTP/0.9", b"GET /healthz\r\n", either), ("HTTP/0.9 with a version", request(version=b"HTTP/0.9"), either),
        ("HTTP/1.0", request(version=b"HTTP/1.0"), served), ("HTTP/2.0", request(version=b"HTTP/2.0"), refused),
        ("HTTP/1.9", request(version=b"HTTP/1.9"), either), ("HTTP/11", request(version=b"HTTP/11"), refused),
        ("http/1.1", request(version=b"http/1.1"), refused), ("no version", request(version=b""), refused),
        ("HTTP/1.0, a session", order(full).replace(b"HTTP/1.1", b"HTTP/1.0"), {401}),
        ("HTTP/2 preface", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", refused),
        ("TLS", bytes.fromhex("160301020001000001fc0303") + b"\0" * 500 + b"\r\n\r\n", refused),
        ("RDP", b"\x03\0\0\x13\x0e\xe0\0\0\0\0\0\x01\0\x08\0\x03\0\0\0\r\n\r\n", refused),
        ("TRACE", request(b"TRACE"), {405}), ("TRACK", request(b"TRACK"), {405}),
        ("OPTIONS", request(b"OPTIONS"), {405}), ("OPTIONS *", request(b"OPTIONS", b"*"), refused),
        ("CONNECT", request(b"CONNECT", b"evil.example.com:443"), refused),
        ("CONNECT a path", request(b"CONNECT", b"/healthz"), refused),
        ("HEAD", request(b"HEAD", headers=[b"Connection: close"]), {200, -1}), ("DELETE", request(b"DELETE"), {405}),
        ("a long method", request(b"A" * 1_000), refused), ("a small method", request(b"get"), {405} | refused),
        ("no host", request(host=None), {400}), ("two hosts", request(headers=[b"Host: localhost"]), {400}),
        ("user in Host", request(host=b"a@localhost"), {400}), ("a URL in Host", request(host=b"http://localhost"), {400}),
        ("foreign host", order(full, b"X: y").replace(b"localhost", b"evil.example.com"), {401}),
        ("foreign port", request(host=b"localhost:99999999"), either),
        ("upgrade to h2c", request(headers=[b"Connection: Upgrade, HTTP2-Settings", b"Upgrade: h2c", b"HTTP2-Settings: AAMAAABkAAQAAP__"]), served),
        ("upgrade to a web socket", request(headers=[b"Connection: Upgrade", b"Upgrade: websocket", b"Sec-WebSocket-Version: 13", b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="]), served),
        ("Expect", order(full, b"Expect: 100-continue"), served | {0}), ("Expect what is not", order(full, b"Expect: 200-ok"), either),
        ("Expect, too large", post + b"Expect: 100-continue\r\nContent-Length: 99999999\r\n\r\n", {413}),
        ("TE and CL", post + b"Transfer-Encoding: chunked\r\n" + length + b"\r\n" + chunk + smuggled, {400}),
        ("CL and TE", post + length + b"Transfer-Encoding: chunked\r\n\r\n" + chunk + smuggled, {400}),
        ("CL 0 and TE", post + b"Content-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk + smuggled, {400}),
        ("two codings", post + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n" + chunk, refused),
        ("chunked, identity", post + b"Transfer-Encoding: chunked, identity\r\n\r\n" + chunk, refused),
        ("identity", post + b"Transfer-Encoding: identity\r\n\r\n" + chunk, refused),
        ("xchunked", post + b"Transfer-Encoding: xchunked\r\n\r\n" + chunk, refused),
        ("vertical tab", post + b"Transfer-Encoding:\x0bchunked\r\n\r\n" + chunk, refused),
        ("coding with a blank", post + b"Transfer-Encoding : chunked\r\n\r\n" + chunk, refused),
        ("coding with a fold", post + b"Transfer-Encoding:\r\n chunked\r\n\r\n" + chunk, refused),
        ("CL +", post + b"Content-Length: +29\r\n\r\n" + full, refused), ("CL -", post + b"Content-Length: -1\r\n\r\n", refused),
        ("CL twice", post + length + length + b"\r\n" + full, refused), ("CL list", post + b"Content-Length: 29, 29\r\n\r\n" + full, refused),
        ("CL hex", post + b"Content-Length: 0x1d\r\n\r\n" + full, refused), ("CL huge", post + b"Content-Length: 99999999999999999999\r\n\r\n", refused),
        ("CL 2^64", post + b"Content-Length: 18446744073709551645\r\n\r\n" + full, refused), ("CL empty", post + b"Content-Length:\r\n\r\n" + full, refused),
        ("no length", post + b"Connection: close\r\n\r\n" + full, refused),
        ("chunks", chunked + chunk, served | {422}), ("chunk size 0x", chunked + b"0x1d\r\n" + full + b"\r\n0\r\n\r\n", refused),
        ("chunk size -", chunked + b"-1\r\n", refused),
        ("chunk size huger", chunked + b"F" * 40 + b"\r\n" + full, refused), ("no chunk size", chunked + b"\r\n\r\n", refused),
        ("chunk extension", chunked + b"1d;a=b\r\n" + full + b"\r\n0\r\n\r\n", either),
        ("chunk without an end", chunked + b"1d\r\n" + full + b"XX0\r\n\r\n", refused),
        ("chunk ends early", chunked + b"5\r\n" + full + b"\r\n0\r\n\r\n", refused),
        ("trailer", chunked + chunk[:-2] + b"Host: evil.example.com\r\nAuthorization: x\r\n\r\n", either),
        ("1 MB of trailers", chunked + chunk[:-2] + b"A: " + b"b" * (1 << 20), refused),
        ("a body with GET", request(b"GET", b"/healthz", [json_type], full), {400}),
        ("a body too large", order(b" " * 70_000), {413}), ("bare line feeds", request().replace(b"\r\n", b"\n"), refused),
        ("a 1 MB header", request(headers=[b"X: " + b"a" * (1 << 20)]), refused),
        ("a 1 MB name", request(headers=[b"a" * (1 << 20) + b": b"]), refused),
        ("a 1 MB path", request(target=b"/" + b"a" * (1 << 20)), refused),
        ("a 1 MB query", request(target=b"/healthz?" + b"a" * (1 << 20)), refused),
        ("a 1 MB Host", request(host=b"a" * (1 << 20)), refused), ("a 1 MB token", request(headers=[b"Authorization: Bearer " + b"a" * (1 << 20)]), refused),
        ("1 MB of headers", request(headers=[b"X-%d: y" % at for at in range(100_000)]), refused),
        ("1 MB of empty lines", b"\r\n" * (1 << 19) + request(), either), ("1 MB of nothing", b"\0" * (1 << 20), refused),
        ("no colon", request(headers=[b"nothing"]), refused), ("no name", request(headers=[b": x"]), refused),
        ("a fold first", b"GET /healthz HTTP/1.1\r\n X: y\r\nHost: localhost\r\n\r\n", refused),
        ("blanks", b"  GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", refused),
        ("a tab", b"GET\t/healthz\tHTTP/1.1\r\nHost: localhost\r\n\r\n", refused),
    ):
        case(name, data, expected)


def endless():
    """Chunks for as long as they are taken: a body is given up at its limit."""
    for chunk in (b"1000\r\n" + b" " * 4_096 + b"\r\n", b"1\r\n \r\n" * 500):
        case.count += 1
        link = connect()
        sent = 0
        try:
            link.sendall(request(b"POST", b"/v1/merchant-sessions", [
                json_type, b"Transfer-Encoding: chunked"]))
            while sent < 64 << 20:
                link.sendall(chunk)
                sent += len(chunk)
        except OSError:
            pass
        link.close()
        if sent >= 32 << 20:
            faults.append(f"{sent} bytes of chunks were taken")


def pipelines():
    case.count += 2
    link = connect()
    count = 200
    paths = [b"/healthz", b"/nowhere", b"/readyz"]
    link.sendall(b"".join(request(target=paths[at % 3]) for at in range(count)))
    rest, statuses = b"", []
    for _ in range(count):
        status, _, _, rest = answer(link, rest)
        statuses.append(status)
    if statuses != [(200, 404, 200)[at % 3] for at in range(count)]:
        faults.append(f"pipeline: {statuses}")
    link.close()
    # What stands behind a refused request is not looked at.
    link = connect()
    link.sendall(request() + request(host=b"a b") + request() * 50)
    rest, statuses = b"", []
    while True:
        status, _, _, rest = answer(link, rest)
        if status <= 0:
            break
        statuses.append(status)
    if statuses not in ([200, 400], [200]):
        faults.append(f"pipeline with a fault: {statuses}")
    link.close()


def loris(count):
    """Requests that never end; the links, which stay open."""
    chunked = (b"POST /v1/merchant-sessions HTTP/1.1\r\nHost: localhost\r\n"
               b"Transfer-Encoding: chunked\r\n\r\n")
    beginnings = (
        b"G", b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: ", order(b"{}")[:-1],
        chunked + b"5\r\n{", chunked + b"F" * 16 + b"\r\n{",
        chunked + b"1d;" + b"a" * 100_000)  # more than there is room for, and never a chunk
    links = []
    for at in range(count):
        link = connect()
        link.setblocking(False)
        try:
            link.send(beginnings[at % 6 if at % 12 > 5 else at % 5])
        except BlockingIOError:
            pass
        links.append(link)
    return links


def opened_and_dropped(count):
    reset = b"\1\0\0\0\0\0\0\0"  # SO_LINGER: a reset in the place of an end
    for at in range(count):
        link = socket.socket()
        link.connect(("127.0.0.1", port))
        if at % 3 == 1:
            link.send(b"GET /he")
        if at % 3 == 2:
            link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, reset)
        link.close()


def processor():
    """The seconds that the service has worked."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory():
    with open(f"/proc/{pid}/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / (1 << 20)


class Neighbour(threading.Thread):
    """A sound client: asks on, and is to be answered each time, and soon."""

    def __init__(self):
        super().__init__(daemon=True)
        self.ended = threading.Event()
        self.answers, self.slowest, self.largest = 0, 0.0, 0.0

    def run(self):
        link, rest = connect(), b""
        while not self.ended.wait(0.02):
            began = time.monotonic()
            link.sendall(order(b'{"domain":"shop.example.com"}', bearer(checkout)))
            try:
                status, head, body, rest = answer(link, rest)
            except TimeoutError:
                status, head, body = -2, b"", b""
            if status != 200 or json.loads(body).get("domainName") != "shop.example.com":
                faults.append(f"a sound client: {status} {head[:300]!r} {body[:300]!r}")
                return
            self.answers += 1
            self.slowest = max(self.slowest, time.monotonic() - began)
            self.largest = max(self.largest, memory())
        link.close()


neighbour = Neighbour()
neighbour.start()
before = memory()
links = loris(min(connections // 10, 2_000))
# They are waited for, and nothing is done meanwhile.
worked = processor()
time.sleep(1)
worked = processor() - worked
print(f"{len(links)} slow ones: {worked:.2f} s of work in one")
if is_measured and worked > 0.8:
    faults.append("slow clients keep it busy")
for part in (every_field, bodies, queries, authorization, paths, protocol, endless, pipelines):
    began = time.monotonic()
    part()
    print(f"{part.__name__}: {time.monotonic() - began:.1f} s")
began = time.monotonic()
opened_and_dropped(connections)
print(f"{connections} opened and dropped: {time.monotonic() - began:.1f} s")
for link in links:
    link.close()
neighbour.ended.set()
neighbour.join()
after = memory()
print(f"{case.count} cases, {len(links)} slow ones; {neighbour.answers} answers beside, the slowest "
      f"after {neighbour.slowest:.2f} s; memory {before:.0f} MiB, at most "
      f"{neighbour.largest:.0f}, {after:.0f} in the end")
if neighbour.answers < 20 or neighbour.slowest > (5 if is_measured else 15):
    faults.append("a sound client was not answered in time")
if is_measured and neighbour.largest > before + 256:
    faults.append("its memory grew")
for fault in faults:
    print("FAULT", fault)
sys.exit(1 if faults else 0)
