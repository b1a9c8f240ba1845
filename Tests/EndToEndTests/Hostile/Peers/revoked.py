"""Asks services on and on with a token that is taken away meanwhile:
revoked.py URL… -- COMMAND…, the token on standard input.

It runs the command, which ends the token, and prints how long after it the last request was accepted.
With `--until EPOCH` in the command's place the token ends by itself.
"""
import http.client
import sys
import threading
import time
import subprocess

cut = sys.argv.index("--")
urls, command = sys.argv[1:cut], sys.argv[cut + 1:]
token = sys.stdin.readline().strip()
last, refusals, faults = {}, {}, []
ended = threading.Event()


def ask_on(url, name):
    link = http.client.HTTPConnection(url.removeprefix("http://"), timeout=20)
    while not ended.is_set():
        began = time.time()
        link.request("GET", "/v1/merchants", None, {"Authorization": f"Bearer {token}"})
        answer = link.getresponse()
        answer.read()
        if answer.status == 200:
            last[name] = began
            if name in refusals:
                faults.append(f"{url} accepts it again")
        elif answer.status == 401:
            refusals.setdefault(name, began)
        else:
            faults.append(f"{url}: {answer.status}")


names = [(url, (url, number)) for url in urls for number in range(2)]
threads = [threading.Thread(target=ask_on, args=pair, daemon=True) for pair in names]
for thread in threads:
    thread.start()
time.sleep(0.3)
if refusals or len(last) != len(names):
    faults.append("it was not accepted at first")
if command[0] == "--until":
    end = float(command[1])
    time.sleep(max(end - time.time(), 0))
else:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    end = time.time()
deadline = time.monotonic() + 20
while len(refusals) < len(names) and time.monotonic() < deadline:
    time.sleep(0.02)
time.sleep(0.2)
ended.set()
for thread in threads:
    thread.join()
for fault in faults:
    print("FAULT", fault)
if len(refusals) < len(names):
    print("FAULT it is never refused")
print(f"{max(last.values()) - end:.2f}")
