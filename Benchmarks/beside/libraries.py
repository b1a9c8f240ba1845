"""A bare proxy in C on purser's own libraries: what they cost, whoever calls them."""
from pathlib import Path

from .nginx import PATH
from .processes import Server, free_port, run

SOURCE = Path(__file__).with_name("libraries.c")


def proxy(folder, authority, upstream):
    """One process and one thread; compiled here, because it is for this machine alone."""
    key, certificate = authority.client()
    program = folder / "libraries"
    run("cc", "-O2", "-o", program, SOURCE, "-lmicrohttpd", "-lcurl")
    port = free_port()
    words = [program, port, f"https://localhost:{upstream}{PATH}", certificate, key,
             authority.certificate]
    return Server([str(word) for word in words], port, folder / "libraries.log")
