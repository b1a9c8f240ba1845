"""Certificates made for one run with the openssl command, and a home that purser filled itself."""
import hashlib
import json
import os

from .processes import run

MERCHANT = "merchant.com.example.bench"
DOMAIN = "bench.example.com"


class Authority:
    """A certificate authority for one run: it signs the gateway's certificate and the merchant's."""

    def __init__(self, folder):
        self.folder = folder
        self.key, self.certificate = folder / "ca.key", folder / "ca.pem"
        self._make_key(self.key, self.certificate, "-x509", "-days", "3",
                       "-addext", "basicConstraints=critical,CA:TRUE",
                       "-addext", "keyUsage=critical,keyCertSign,cRLSign",
                       subject="/CN=Benchmark Authority")

    def gateway(self):
        """A key and a certificate for localhost."""
        key, request = self.folder / "gateway.key", self.folder / "gateway.csr"
        self._make_key(key, request, "-new", subject="/CN=localhost")
        return key, self._sign(request, "gateway", None, "subjectAltName=DNS:localhost")

    def client(self):
        """A key and a certificate for a client that is no Apple merchant: nginx's."""
        key, request = self.folder / "client.key", self.folder / "client.csr"
        self._make_key(key, request, "-new", subject="/CN=nginx")
        return key, self._sign(request, "client", None, "extendedKeyUsage=clientAuth")

    def merchant_identity(self, csr):
        """What Apple's portal answers to a merchant identity's CSR: the marks are Apple's (TN3174)."""
        request = self.folder / "identity.csr"
        request.write_bytes(csr)
        digest = hashlib.sha256(MERCHANT.encode()).hexdigest().upper()
        return self._sign(
            request, "identity",
            f"/UID={MERCHANT}/CN=Apple Pay Merchant Identity:{MERCHANT}/OU=BENCH12345/O=Bench",
            "keyUsage=critical,digitalSignature", "extendedKeyUsage=clientAuth",
            "1.2.840.113635.100.6.46=ASN1:NULL",
            f"1.2.840.113635.100.6.32=ASN1:UTF8String:{digest}")

    def _make_key(self, key, out, *options, subject):
        run("openssl", "req", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", out,
            "-subj", subject, *options)

    def _sign(self, request, name, subject, *extensions):
        wanted, out = self.folder / f"{name}.ext", self.folder / f"{name}.pem"
        lines = ["basicConstraints=critical,CA:FALSE", "authorityKeyIdentifier=keyid", *extensions]
        wanted.write_text("\n".join(lines) + "\n")
        run("openssl", "x509", "-req", "-in", request, "-CA", self.certificate, "-CAkey", self.key,
            "-set_serial", str(int.from_bytes(os.urandom(8), "big") >> 1), "-days", "2",
            "-extfile", wanted, "-out", out, *(["-subj", subject] if subject else []))
        return out


class Home:
    """A purser home made with purser's own commands."""

    def __init__(self, folder):
        self.program = os.environ["PURSER"]
        self.env = {name: value for name, value in os.environ.items()
                    if not name.startswith("PURSER_")}
        self.env["PURSER_HOME"] = str(folder / "home")
        self.env["PURSER_MASTER_KEY_FILE"] = str(folder / "master.key")
        self.folder = folder
        self("init")

    def __call__(self, *words):
        return run(self.program, *map(str, words), env=self.env)

    def add_merchant(self, *options, identifier=MERCHANT):
        self("merchant", "add", identifier, "--display-name", "Benchmark Shop", *options)

    def go_live(self, authority, gateway):
        """Takes the merchant to where `serve` answers for it, rehearsal and all."""
        self("environment", "add", "bench", "--gateway", gateway,
             "--gateway-ca", authority.certificate, "--apple-root", authority.certificate)
        self.add_merchant("--environment", "bench")
        self("domain", "add", MERCHANT, DOMAIN)
        csr = self("certificate", "request", MERCHANT, "merchant-identity")
        certificate = authority.merchant_identity(csr)
        imported = json.loads(self("certificate", "import", MERCHANT, certificate, "--json"))
        self("certificate", "activate", imported[0]["id"])
