"""What the examples of README.md and cron/containers tell people to run and to set, as JSON.

Usage: examples.py ROOT
"""
import json
import re
import shlex
import sys

import yaml

root = sys.argv[1]
commands, variables, settings = [], [], []


def read(path):
    with open(f"{root}/{path}", encoding="utf-8") as file:
        return file.read()


def note(words):
    """Notes what a command has to do with purser."""
    while words and (words[0] in ("sudo", "exec", "do") or re.match(r"[A-Z_]+=", words[0])):
        words = words[1:]
    if words[:1] == ["purser"]:
        commands.append(words[1:])
    elif words[:2] == ["sh", "-c"]:
        script(words[2])
    elif words[:1] == ["docker"] and words[1:2] == ["compose"]:
        rest = [word for word in words[3:] if word not in ("-T", "--rm", "-d")]
        if words[2] == "run" and rest[0] == "purser":
            commands.append(rest[1:])
        elif words[2] == "exec":
            note(rest[1:])
    elif words[:1] == ["kubectl"] and "--" in words:
        note(words[words.index("--") + 1:])


def script(text):
    """Notes the commands of a shell script that is simple enough."""
    for line in text.replace("\\\n", " ").splitlines():
        lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        words = []
        for token in list(lexer) + [";"]:
            if re.fullmatch(r"[();<>|&]+", token):
                # What follows a redirection is a file.
                note(["file:"] + words if words[:1] == [">"] else words)
                words = [">"] if token in (">", "<", ">>", ">&") else []
            else:
                words.append(token)


def walk(node):
    """All mappings in a document."""
    if isinstance(node, dict):
        yield node
        for value in node.values():
            yield from walk(value)
    elif isinstance(node, list):
        for value in node:
            yield from walk(value)


readme = read("README.md")
for block in re.findall(r"^```sh\n(.*?)^```", readme, re.S | re.M):
    script(block)
settings += re.findall(r"^\{ serve: \{ trustedProxies: .*$", readme, re.M)

compose = yaml.safe_load(read("cron/containers/compose.yaml"))
for service in compose["services"].values():
    if service["image"] == "purser:local":
        commands.append(service["command"])
        variables += service["environment"]

nginx = ""
for document in yaml.safe_load_all(read("cron/containers/kubernetes.yaml")):
    for container in walk(document):
        if container.get("image") == "purser:local":
            if "args" in container:
                commands.append(container["args"])
            note(container.get("command", []))
    if document["kind"] == "ConfigMap":
        settings.append(document["data"]["purser.json5"])
        nginx = document["data"]["purser.conf"]

image = read("cron/containers/Containerfile")
variables += [name for name in re.findall(r"^ENV (\w+)=", image, re.M) if name.startswith("PURSER_")]
packages = re.search(r"--no-install-recommends \\\n(.*?)\\\n *&&", image, re.S).group(1).split()
proxies = {"nginx": nginx, "caddyfile": read("cron/containers/Caddyfile")}
print(json.dumps({
    "commands": commands, "variables": variables, "settings": settings, "proxies": proxies,
    "packages": packages}))
