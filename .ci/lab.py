"""A stand-in for Apple, a home, and a service between them, for scripts that call the service.

Everything lies in one folder that goes away in the end, and nothing listens beyond loopback.
"""
import contextlib
import http.client
import json
import os
import shutil
import signal
import ssl
import subprocess
import sys
import tempfile
import time

root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def environment():
    """This process's, without what would set `purser` up or send anybody through a proxy."""
    return {
        name: value for name, value in os.environ.items()
        if not name.startswith(("PURSER_", "NOTIFY_")) and not name.lower().endswith("_proxy")
    }


class Lab:
    """`with Lab("debug") as lab:` ends what it has started."""

    def __init__(self, build):
        self.purser_path, self.applesim_path = (
            f"{root}/.build/{build}/{name}" for name in ("purser", "applesim"))

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="purser-lab-")
        self.home = f"{self.folder}/home"
        self.flags = ["--home", self.home, "--master-key-file", f"{self.folder}/master.key"]
        self.processes = []
        try:
            self.start_apple()
            self.purser("init")
            anchors = [
                word for name in ("identity-root", "identity-intermediate", "processing-root",
                                  "processing-intermediate")
                for word in ("--apple-root", f"{self.folder}/apple/{name}.pem")
            ]
            self.purser(
                "environment", "add", "lab", "--realm", "lab", "--gateway", self.gateway,
                "--gateway-ca", f"{self.folder}/apple/gateway-ca.pem", *anchors)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for process in self.processes:
            self.end(process)
        shutil.rmtree(self.folder, ignore_errors=True)

    def end(self, process, within=60):
        """Ends one process of this lab, the hard way if it must be; gives its status."""
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(within)
        if process.poll() is None:
            process.kill()
            process.wait()
        return process.returncode

    def start(self, words, name):
        with open(f"{self.folder}/{name}.log", "ab") as log:
            process = subprocess.Popen(
                words, stdout=subprocess.DEVNULL, stderr=log, env=environment())
        self.processes.append(process)
        return process

    # Apple's side

    def start_apple(self, *flags):
        """Starts the stand-in; on the same ports and with the same roots when it was there before."""
        address = f"{self.folder}/apple/address.json"
        with contextlib.suppress(FileNotFoundError):
            os.unlink(address)
        self.apple = self.start(
            [self.applesim_path, "--directory", f"{self.folder}/apple", "--seed", "7", *flags],
            "apple")
        until(lambda: os.path.exists(address) or self.apple.poll() is not None)
        with open(address) as file:
            addresses = json.load(file)
        self.gateway, self.portal = addresses["gateway"], addresses["portal"]

    def ask_portal(self, method, path, body=None):
        host, port = self.portal.removeprefix("https://").split(":")
        trust = ssl.create_default_context(cafile=f"{self.folder}/apple/gateway-ca.pem")
        link = http.client.HTTPSConnection(host, int(port), context=trust, timeout=60)
        link.request(method, path, body)
        answer = link.getresponse()
        data = answer.read()
        link.close()
        if not 200 <= answer.status < 300:
            sys.exit(f"portal: {method} {path}: {answer.status} {data[:500]!r}")
        return data

    # The home

    def purser(self, *words, input=None):
        """Runs one command that must succeed; what it printed, as JSON where it was asked for."""
        done = subprocess.run(
            [self.purser_path, *self.flags, *words], input=input, capture_output=True,
            env=environment(), check=False)
        if done.returncode:
            sys.exit(f"purser {' '.join(words)}: {done.returncode}\n{done.stderr.decode()}")
        return json.loads(done.stdout) if "--json" in words else done.stdout

    def register(self, merchant, *domains):
        self.ask_portal(
            "POST", "/merchants", json.dumps({"identifier": merchant, "domains": domains}))
        self.purser(
            "merchant", "add", merchant, "--display-name", "Shop", "--environment", "lab")
        for domain in domains:
            self.purser("domain", "add", merchant, domain)

    def certificate(self, csr, merchant, kind="merchant-identity"):
        """What Apple makes of a CSR: DER."""
        return self.ask_portal("POST", f"/certificates?merchant={merchant}&kind={kind}", csr)

    def certify(self, merchant, kind="merchant-identity"):
        """The id of a new credential, certified and imported."""
        csr = self.purser("certificate", "request", merchant, kind)
        imported = self.purser(
            "certificate", "import", merchant, "-", "--json",
            input=self.certificate(csr, merchant, kind))
        return imported[0]["id"]

    def activate(self, merchant):
        """The id of a new identity in use."""
        credential = self.certify(merchant)
        self.purser("certificate", "activate", credential)
        return credential

    def token(self, role, *words):
        made = self.purser("api-token", "create", "--role", role, "--json", *words)
        return made["token"]

    # The service

    def serve(self, *words, name="service"):
        """Starts a service on a free port and waits until it is ready; gives process and port."""
        process = self.start(
            [self.purser_path, *self.flags, "serve", "--listen", "127.0.0.1:0", *words], name)

        def port():
            for line in self.log(name):
                if line.get("event") == "ready":
                    return int(line["message"].split("127.0.0.1:")[1].split(",")[0])
            return process.poll()

        found = until(port)
        if process.poll() is not None:
            with open(f"{self.folder}/{name}.log") as log:
                sys.exit(f"the service ended at once:\n{log.read()}")
        return process, found

    def log(self, name="service"):
        """The lines of the service's log; each must be one JSON object."""
        with open(f"{self.folder}/{name}.log", "rb") as log:
            for line in log:
                if line.endswith(b"\n"):
                    value = json.loads(line)
                    if not isinstance(value, dict):
                        raise ValueError(f"no object: {line!r}")
                    yield value


def until(condition, seconds=60):
    """Waits until `condition()` is something, and gives that."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if (found := condition()) not in (None, False):
            return found
        time.sleep(0.02)
    sys.exit("waited for too long")


def memory(process):
    """The bytes of `process` in memory."""
    with open(f"/proc/{process.pid}/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def open_files(process):
    return len(os.listdir(f"/proc/{process.pid}/fd"))
