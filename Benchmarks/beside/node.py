"""A proxy in Node.js, with the client certificate in an `https.Agent` that keeps its connections."""
import shutil
from pathlib import Path

from .nginx import PATH
from .processes import Server, free_port

SCRIPT = Path(__file__).with_name("proxy.js")


def proxy(folder, authority, upstream):
    """One process, which is how Node.js is run unless somebody does more about it."""
    key, certificate = authority.client()
    port = free_port()
    words = [shutil.which("node") or "node", SCRIPT, port, upstream, key, certificate,
             authority.certificate, PATH]
    return Server([str(word) for word in words], port, folder / "node.log")
