"""Other programs: run to their end and charged for their CPU time, or served from for a while."""
import os
import signal
import socket
import subprocess
import sys
import time

# Ends by an exception, so that every Server is ended too.
signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))

TICK = 1 / os.sysconf("SC_CLK_TCK")


def run(*command, stdin=b"", env=None):
    """Runs a command that must succeed; gives what it wrote."""
    done = subprocess.run(command, input=stdin, capture_output=True, env=env, timeout=120)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}: {done.stderr.decode(errors='replace')}")
    return done.stdout


def spend(command, env=None):
    """Runs a command without reading it; gives its wall time and CPU time in seconds."""
    return measure(command, env)[:2]


def measure(command, env=None, statuses=(0,)):
    """The same, with the most memory that it held at once, in MiB; other statuses end the run."""
    with open(os.devnull, "r+b") as nothing:
        actions = [(os.POSIX_SPAWN_DUP2, nothing.fileno(), stream) for stream in (0, 1, 2)]
        began = time.perf_counter()
        pid = os.posix_spawnp(command[0], command, env or os.environ, file_actions=actions)
        _, status, usage = os.wait4(pid, 0)
        took = time.perf_counter() - began
    if os.waitstatus_to_exitcode(status) not in statuses:
        raise SystemExit(f"{' '.join(command)}: status {os.waitstatus_to_exitcode(status)}")
    return took, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def free_port():
    """A TCP port that nobody listened on a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """A process that listens on a port of 127.0.0.1 until the block ends; ended by its own pid."""

    def __init__(self, command, port, log, env=None):
        self.command, self.port, self.log, self.env = command, port, log, env

    def __enter__(self):
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self.env)
        until = time.monotonic() + 10
        while time.monotonic() < until and self.process.poll() is None:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return self
            time.sleep(0.02)
        self.__exit__()
        with open(self.log, errors="replace") as log:
            raise SystemExit(f"{self.command[0]} does not listen: {log.read()[-500:]}")

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(timeout=15)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def cpu(self):
        """CPU seconds spent so far, by all its threads (proc(5): utime and stime)."""
        with open(f"/proc/{self.process.pid}/stat") as stat:
            fields = stat.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) * TICK

    def memory(self, what="VmRSS"):
        """KiB of memory that it holds (proc(5)), or, as VmHWM, the most that it ever held."""
        with open(f"/proc/{self.process.pid}/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith(what + ":"))
