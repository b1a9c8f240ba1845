"""Many merchants over one service, with rotations while they are asked for:
many.py URL PORTAL CA MERCHANTS SECONDS SEED, with an operator's and an auditor's token on standard input.

Everything is made by the HTTP API. The stand-in's journal tells in the end whose certificate each
connection had, and the service's metrics how many pools and connections it holds.
"""
import http.client
import json
import random
import ssl
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

url, portal, authority = sys.argv[1:4]
count, seconds, seed = int(sys.argv[4]), float(sys.argv[5]), int(sys.argv[6])
tokens = json.load(sys.stdin)
workers = 8
trust = ssl.create_default_context(cafile=authority)
local, ended = threading.local(), threading.Event()
shops = [(f"merchant.com.example.m{number}", f"m{number}.example.com") for number in range(count)]
owners = {}  # whose certificate has which serial number
in_use, superseded, faults, statuses = {}, [], [], {}
asked = {}  # how often each client has
current = {}  # how many certificates Apple counts as a merchant's: it may have three
leaving = []  # when one was retired, and its number and merchant: revoked when nobody uses it any more


def call(method, path, body=None, token="operator"):
    if not hasattr(local, "link"):
        local.link = http.client.HTTPConnection(url.removeprefix("http://"), timeout=60)
    headers = {"Authorization": f"Bearer {tokens[token]}"} if token else {}
    if body is not None:
        headers["Content-Type"] = "application/json"
    local.link.request(method, path, None if body is None else json.dumps(body), headers)
    answer = local.link.getresponse()
    return answer.status, answer.read()


def must(method, path, body=None, token="operator"):
    status, data = call(method, path, body, token)
    if status >= 300:
        raise SystemExit(f"{method} {path}: {status} {data[:400]!r}")
    return json.loads(data) if data.startswith((b"{", b"[")) else data


def apple(method, path, body=None):
    if not hasattr(local, "apple"):
        local.apple = http.client.HTTPSConnection(
            portal.removeprefix("https://"), context=trust, timeout=60)
    local.apple.request(method, path, body)
    answer = local.apple.getresponse()
    data = answer.read()
    if answer.status >= 300:
        raise SystemExit(f"portal: {method} {path}: {answer.status} {data[:400]!r}")
    return data


def rotate(merchant):
    made = must("POST", f"/v1/merchants/{merchant}/certificate-requests", {"kind": "merchant-identity"})
    der = apple("POST", f"/certificates?merchant={merchant}&kind=merchant-identity", made["csr"].encode())
    pem = subprocess.run(["openssl", "x509", "-inform", "der"], input=der, capture_output=True, check=True)
    got = must("POST", f"/v1/merchants/{merchant}/certificates", {"certificate": pem.stdout.decode()})[0]
    owners[got["serialNumber"]] = merchant
    current[merchant] = current.get(merchant, 0) + 1
    must("POST", f"/v1/certificates/{got['id']}/activate", {})
    before, in_use[merchant] = in_use.get(merchant), got["id"]
    if before:
        superseded.append(before)


def open_shop(shop):
    merchant, domain = shop
    apple("POST", "/merchants", json.dumps({"identifier": merchant, "domains": [domain]}))
    must("POST", "/v1/merchants", {"id": merchant, "environments": ["lab"], "displayName": "Shop"})
    must("PUT", f"/v1/merchants/{merchant}/domains/{domain}")
    rotate(merchant)


def ask_on(number):
    dice = random.Random(seed + number)
    while not ended.is_set():
        merchant, domain = dice.choice(shops)
        status, data = call("POST", "/v1/merchant-sessions", {"domain": domain, "merchant": merchant}, None)
        statuses[status] = statuses.get(status, 0) + 1
        asked[number] = asked.get(number, 0) + 1
        if status != 200 or json.loads(data)["domainName"] != domain:
            faults.append(f"{domain}: {status} {data[:300]!r}")


def measures():
    found = {}
    for line in call("GET", "/metrics", None, "auditor")[1].decode().splitlines():
        if line.startswith(("purser_pools ", "purser_pool_")):
            name, value = line.rsplit(" ", 1)
            found[name] = int(value)
    return found


began = time.monotonic()
with ThreadPoolExecutor(4) as pool:
    list(pool.map(open_shop, shops))
print(f"{count} merchants after {time.monotonic() - began:.1f} s")
apple("DELETE", "/log")
until = time.monotonic() + seconds
threads = [threading.Thread(target=ask_on, args=(number,)) for number in range(workers)]
for thread in threads:
    thread.start()
dice, rotations, retired, most = random.Random(seed), 0, 0, {}
while time.monotonic() < until or not retired:
    if may := [merchant for merchant, _ in shops if current[merchant] < 3]:
        rotate(dice.choice(may))
        rotations += 1
    if len(superseded) > 1:
        done = must(
            "POST", f"/v1/certificates/{superseded.pop(dice.randrange(len(superseded)))}/retire")
        leaving.append((time.monotonic(), done["serialNumber"], done["merchant"]))
        retired += 1
    while leaving and leaving[0][0] < time.monotonic() - 2:
        _, number, merchant = leaving.pop(0)
        apple("POST", f"/revoke?serial={number}")
        current[merchant] -= 1
    for name, value in measures().items():
        most[name] = max(most.get(name, 0), value)
ended.set()
for thread in threads:
    thread.join()
records = [json.loads(line) for line in apple("GET", "/log").splitlines()]
requests = [record for record in records if record["event"] == "request"]
wrong = [
    record for record in requests
    if record.get("clientUID") != record.get("merchantIdentifier")
    or owners.get(record.get("clientSerialNumber")) != record.get("merchantIdentifier")
    or record.get("sessionOwnerUID") != record.get("merchantIdentifier")]
carried = {}
for record in requests:
    carried.setdefault((record["gateway"], record["connection"]), set()).add(record["merchantIdentifier"])
shared = [connection for connection, merchants in carried.items() if len(merchants) > 1]
if wrong or shared:
    faults.append(f"{len(wrong)} requests and {len(shared)} connections of others: {wrong[:1]}")
if len(asked) < workers or min(asked.values()) < 3:
    faults.append(f"not all have asked: {asked}")
if len(requests) < sum(statuses.values()) or rotations < 2 or not retired:
    faults.append(f"{len(requests)} requests in the journal, {rotations} rotations, {retired} retired")
pools = measures()
# One for each identity, gateway and worker; a superseded identity's go away with its last request.
loops = int(tokens["loops"])
if most["purser_pools"] > (count + 2) * loops or pools["purser_pools"] > count * loops:
    faults.append(f"pools: {most} {pools}")
connections = sum(value for name, value in most.items() if "connections" in name)
if connections > 2 * workers * count * loops:
    faults.append(f"connections: {most}")
print(f"{statuses} in {len(carried)} connections, {rotations} rotations, {retired} retired; at most "
      f"{most['purser_pools']} pools and {connections} connections, {pools} in the end")
for fault in faults[:20]:
    print("FAULT", fault)
sys.exit(1 if faults else 0)
