"""Tries to make the service call somebody else: elsewhere.py URL GATEWAY, a token on standard input.

A hundred validationURLs, domains, names and headers; whether a connection left is told by a trace that
somebody else keeps. It prints what was answered with success and should not have been.
"""
import http.client
import json
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

url, gateway = sys.argv[1:3]
token = json.load(sys.stdin)["operator"]
host, port = url.removeprefix("http://").split(":")
origin = gateway.removeprefix("https://")
name, gateway_port = origin.split(":")
path = "/paymentservices/startSession"
merchant, domain = "merchant.com.example.shop", "shop.example.com"

urls = [
    f"http://{origin}{path}", f"HTTP://{origin}{path}", f"ftp://{origin}{path}", f"//{origin}{path}",
    f"https:{origin}{path}", f"https:/{origin}{path}", f"https:///{origin}{path}", f"{origin}{path}",
    f"https:\\\\{origin}{path}", f"https://{name}{path}", f"https://{name}:1{path}",
    f"https://{name}:0{gateway_port}{path}", f"https://{name}:{int(gateway_port) + 65536}{path}",
    f"https://{name}.:{gateway_port}{path}", f"https://{name}%2e:{gateway_port}{path}",
    f"https://{name}:{gateway_port}@evil.example.com{path}", f"https://evil.example.com@{origin}{path}",
    f"https://a:b@{origin}{path}", f"https://{origin}@127.0.0.1:1{path}", f"https://@{origin}{path}",
    f"https://{origin}.evil.example.com{path}", f"https://evil.example.com/{origin}{path}",
    f"https://evil.example.com#{origin}{path}", f"https://evil.example.com?{origin}{path}",
    f"https://evil.example.com\\@{origin}{path}", f"https://{origin}\\.evil.example.com{path}",
    f"https://{origin}{path}?a", f"https://{origin}{path}#a", f"https://{origin}{path}/",
    f"https://{origin}{path}/../../x", f"https://{origin}/{path}", f"https://{origin}/x/..{path}",
    f"https://{origin}{path}%00", f"https://{origin}{path}\0", f"https://{origin}{path}\r\nHost: evil",
    f"https://{origin}{path} ", f" https://{origin}{path}", f"https://{origin}\t{path}",
    f"https://{origin}{path};a", f"https://{origin}{path.upper()}", f"https://{origin}/", f"https://{origin}",
    f"https://{origin}{path.replace('s', '%73', 1)}", "https://127.0.0.1:22/", "https://127.1/",
    "https://2130706433/", "https://0x7f000001/", "https://0177.0.0.1/", "https://0/", "https://[::1]/",
    "https://[::ffff:127.0.0.1]/", "https://[::]/", "https://10.0.0.1/", "https://192.168.0.1/",
    f"https://169.254.169.254{path}", "http://169.254.169.254/latest/meta-data/", "https://fd00.example/",
    "https://metadata.google.internal/", f"https://127.0.0.1:{gateway_port}{path}",
    f"https://[::1]:{gateway_port}{path}", f"https://lоcalhost:{gateway_port}{path}",
    f"https://ⓛocalhost:{gateway_port}{path}", f"https://localhost。:{gateway_port}{path}",
    "https://localtest.me/", "https://127.0.0.1.nip.io/", f"https://xn--{name}:{gateway_port}{path}",
    f"https://apple-pay-gateway.apple.com{path}", f"https://apple-pay-gateway-cert.apple.com{path}",
    f"https://cn-apple-pay-gateway.apple.com{path}", f"https://apple-pay-gateway.apple.com.evil.example{path}",
    "file:///etc/passwd", "gopher://127.0.0.1:25/_EHLO", "dict://127.0.0.1:11211/", "ldap://127.0.0.1/",
    "jar:https://evil.example.com!/", "data:text/plain,x", "javascript:alert(1)", "unix:///run/x.sock",
    "netdoc:///etc/passwd", "", "/", "?", "#", "https://", "https:", "a" * 512, "a" * 5_000,
]
domains = [
    "evil.example.com", "127.0.0.1", "[::1]", "localhost", "169.254.169.254", "0x7f.1", "2130706433",
    "https://shop.example.com", "shop.example.com:443", "shop.example.com/a", "shop.example.com?a",
    "shop.example.com#a", "a@shop.example.com", "*.example.com", "shop.example.com\0.evil.example.com",
    "shop.example.com\r\nHost: evil", "shop.example.com\\.evil.example.com", "shоp.example.com",
    "shop。example。com", "www.shop.example.com", "example.com", "shop.example.com..", ".shop.example.com",
    "shop..example.com", "a" * 64 + ".com", "a." * 127 + "com", "xn--shp-0na.example.com", " shop.example.com",
    "shop.example.com ", "metadata.google.internal", "unix:/run/x.sock", "file:///etc/passwd",
]
extras = [
    {"environment": value} for value in (
        "evil", "https://evil.example.com", "127.0.0.1", "../lab", "LAB", "lab\0", "production", "sandbox")
] + [
    {"merchant": value} for value in (
        "merchant.evil", "merchant.com.example.shop\0", "https://evil.example.com", "merchant..a")
] + [{key: "https://evil.example.com"} for key in ("gateway", "proxy", "url", "host", "endpoint", "callback")]
elsewhere = "evil.example.com"
fields = [
    {"Host": elsewhere}, {"Host": "169.254.169.254"}, {"Host": "apple-pay-gateway.apple.com"},
    {"X-Forwarded-Host": elsewhere}, {"X-Forwarded-For": "169.254.169.254"}, {"Forwarded": f"host={elsewhere}"},
    {"X-Forwarded-Server": elsewhere}, {"X-Forwarded-Proto": "https"}, {"Via": f"1.1 {elsewhere}"},
    {"X-Real-IP": "10.0.0.1"}, {"True-Client-IP": "10.0.0.1"},
]
# These change nothing: the session comes from where it always comes from.
harmless = [
    {"Host": origin},
    {"Proxy": f"http://{elsewhere}:3128"}, {"X-Original-URL": f"https://{elsewhere}/"},
    {"X-Rewrite-URL": f"https://{elsewhere}/"}, {"Origin": f"https://{elsewhere}"}, {"Referer": f"https://{elsewhere}/"},
    {"X-Host": elsewhere}, {"Destination": f"https://{elsewhere}/"}, {"Alt-Used": elsewhere},
]
order = {"domain": domain, "merchant": merchant}


def ask(method, target, body, headers):
    if not hasattr(local, "link"):
        local.link = http.client.HTTPConnection(host, int(port), timeout=30)
    data = None if body is None else json.dumps(body).encode()
    local.link.request(method, target, data, {"Content-Type": "application/json", **headers} if data else headers)
    answer = local.link.getresponse()
    return answer.status, answer.read()


local = threading.local()
session = "/v1/merchant-sessions"
mine = {"Authorization": f"Bearer {token}"}
cases = [("POST", session, {**order, "validationURL": text}, {}, False) for text in urls]
cases += [("POST", session, {"domain": text, "merchant": merchant}, {}, False) for text in domains]
cases += [("POST", session, {**order, **extra}, {}, False) for extra in extras]
cases += [("POST", session, order, extra, False) for extra in fields]
cases += [("POST", session, order, extra, True) for extra in harmless]
cases += [("POST", session, {**order, "validationURL": f"https://{origin}{path}"}, {}, True)]
# What cannot be a domain does not become one by the operator's call either.
cases += [
    ("PUT", f"/v1/merchants/{merchant}/domains/{quote(text, safe='')}", None, mine, False)
    for text in domains if text not in ("evil.example.com", "www.shop.example.com", "example.com",
                                        "xn--shp-0na.example.com", "metadata.google.internal")]


def attempt(case):
    method, target, body, headers, isFine = case
    status, answer = ask(method, target, body, headers)
    if (status == 200) != isFine or status >= 500:
        return f"{status} {answer[:200]!r}: {method} {target[:80]} {json.dumps(body)[:200]} {headers}"
    return None


with ThreadPoolExecutor(4) as pool:
    wrong = [text for text in pool.map(attempt, cases) if text]
print(f"{len(cases)} attempts")
for text in wrong:
    print("FAULT", text)
sys.exit(1 if wrong else 0)
