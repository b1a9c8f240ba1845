#!/usr/bin/env python3
"""A person at a terminal: runs a program there and types answers to what it asks.

Usage: terminal.py ANSWER... -- PROGRAM ARGUMENT...

Waits before each answer until the terminal does not echo, as a person would for "Passphrase: ".
Prints all that the terminal shows, and ends with the program's status.
"""
import os
import pty
import select
import sys
import termios
import time

split = sys.argv.index("--")
answers, program = sys.argv[1:split], sys.argv[split + 1 :]
child, terminal = pty.fork()
if child == 0:
    os.execvp(program[0], program)

shown = b""
seen = 0  # up to where the last question was answered
deadline = time.monotonic() + 60
while time.monotonic() < deadline:
    ready, _, _ = select.select([terminal], [], [], 0.02)
    if ready:
        try:
            part = os.read(terminal, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        shown += part
    echoes = termios.tcgetattr(terminal)[3] & termios.ECHO
    if answers and not echoes and shown[seen:].rstrip(b" ").endswith(b":"):
        seen = len(shown)
        os.write(terminal, answers.pop(0).encode() + b"\n")
sys.stdout.buffer.write(shown)
_, status = os.waitpid(child, 0)
sys.exit(os.waitstatus_to_exitcode(status) & 0xFF)
