#!/usr/bin/env python3
"""Measures the HTTP front end: speed and memory beside servers of other SDKs, memory and start of `serve --core sim`.

    cargo build --release -p simplex-mcp -p simplex-benches
    python3 benches/http/run.py [load] [memory] [start]

Without a word it does all three. Ratios count, because machines differ and other programs disturb: the servers run side
by side and are measured in turns, and medians are compared. Peers are given by the environment, any variable that begins
with PEER_, each a command that gets a port as its last argument and a bearer token in TOKEN:

    PEER_RMCP='path/to/rmcp-server' PEER_TS='node path/to/server.mjs' python3 benches/http/run.py

A peer serves MCP at /mcp on 127.0.0.1 in both eras, with the tools `list`, `echo` and `slow` of
benches/src/bin/mcp_server.rs. RUNS (5) is how many turns there are, TURN (3) how long one is, OPEN (500) how many
calls are held open, TARGET_DIR (target) where the programs were built. `load` needs wrk.
"""

import json
import os
import re
import shlex
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
RELEASE = Path(os.environ.get("TARGET_DIR", HERE.parent.parent / "target")) / "release"
RUNS = int(os.environ.get("RUNS", "5"))
TURN = int(os.environ.get("TURN", "3"))
OPEN = int(os.environ.get("OPEN", "500"))
TOKEN = "token-of-the-benches"
# The demo's directory bot, which the simulated network of `serve --core sim` has too.
DIRECTORY = "https://smp1.example/a#xuxolk2p9CTQQKvPWqcl80W1-Zy2T-bbW2Pa_FttqVY"


class Server:
    """A program that serves MCP on a port, until `stop`."""

    def __init__(self, command, port, token=TOKEN, **environment):
        self.port, self.token = port, token
        environment = {**os.environ, "TOKEN": TOKEN, **environment}
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen(command, env=environment, **quiet)

    def request(self, method, params, progress=None, close=False):
        """The bytes of a modern request, the last one of its connection with `close`."""
        meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
        if progress is not None:
            meta["progressToken"] = progress
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}}
        body = json.dumps(message).encode()
        head = [
            "POST /mcp HTTP/1.1",
            f"Host: 127.0.0.1:{self.port}",
            f"Authorization: Bearer {self.token}",
            "Content-Type: application/json",
            "Accept: application/json, text/event-stream",
            "MCP-Protocol-Version: 2026-07-28",
            f"Mcp-Method: {method}",
            *([f"Mcp-Name: {params['name']}"] if "name" in params else []),
            *(["Connection: close"] if close else []),
            f"Content-Length: {len(body)}",
        ]
        return "\r\n".join([*head, "", ""]).encode() + body

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), 5)

    def answers(self):
        """Whether it serves: it listens, and is past its start."""
        try:
            with self.connect() as stream:
                stream.sendall(self.request("server/discover", {}))
                return stream.recv(65536).startswith(b"HTTP/1.1 200 ")
        except ConnectionError:
            return False

    def wait(self, pause=0.0005):
        until = time.monotonic() + 30
        while not self.answers():
            if self.process.poll() is not None or time.monotonic() > until:
                sys.exit(f"does not serve: {shlex.join(self.process.args)}")
            time.sleep(pause)
        return self

    def memory(self):
        """Resident memory, in kB."""
        shown = subprocess.run(["ps", "-o", "rss=", "-p", str(self.process.pid)], capture_output=True, check=True)
        return int(shown.stdout)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def program(name):
    path = RELEASE / name
    if not path.exists():
        sys.exit(f"{path} is missing: cargo build --release -p simplex-mcp -p simplex-benches")
    return str(path)


def servers():
    """The bench server and the peers that were given, by name."""
    commands = {"ours": [program("mcp_server")]}
    for variable, command in sorted(os.environ.items()):
        if variable.startswith("PEER_"):
            commands[variable.removeprefix("PEER_").lower()] = shlex.split(command)
    started = {}
    for name, command in commands.items():
        port = free_port()
        started[name] = Server([*command, str(port)], port).wait(0.01)
    return started


def serve(data):
    """`serve --core sim`, with a data folder."""
    port = free_port()
    command = [program("simplex-mcp"), "serve", "bench", "--core", "sim", "--data", str(data), "--port", str(port)]
    token = data / "token"
    return Server(command, port, token.read_text().strip() if token.exists() else "")


def prepared(data):
    """A data folder after a first start, which had its token to make, and the chat with the directory bot."""
    server = serve(data)
    while not (data / "token").exists() or not (data / "token").read_text():
        time.sleep(0.01)
    server.token = (data / "token").read_text().strip()
    server.wait(0.01)
    call = {"name": "connect", "arguments": {"target": DIRECTORY, "wait": 10, "idle": 1}}
    answer = b""
    # There is an approver as soon as the simulated owner has joined.
    for _ in range(20):
        with server.connect() as stream, stream.makefile("rb") as answers:
            stream.settimeout(30)
            stream.sendall(server.request("tools/call", call, close=True))
            answer = answers.read()
        if found := re.search(rb'"chat":"(@[0-9]+)"', answer):
            server.stop()
            return found[1].decode()
        time.sleep(0.5)
    sys.exit(f"no chat with the directory bot: {answer.decode()}")


def load():
    if not shutil.which("wrk"):
        sys.exit("wrk is missing: apt-get install wrk (or your system's package)")
    running = servers()
    print(f"{'':14}" + "".join(f"{name:>14} req/s {'p99 ms':>8}" for name in running) + "   ratio to each peer: req/s, p99")
    for mode in ["list", "call", "legacylist"]:
        for connections in [1, 32]:
            rates, slowest = {name: [] for name in running}, {name: [] for name in running}
            for run in range(RUNS + 1):
                for name, server in running.items():
                    # The first turn warms up.
                    rate, p99 = wrk(server, mode, connections, TURN if run else 1)
                    if run:
                        rates[name].append(rate)
                        slowest[name].append(p99)
            rate = {name: statistics.median(of) for name, of in rates.items()}
            p99 = {name: statistics.median(of) for name, of in slowest.items()}
            line = f"{mode:10} {connections:3}" + "".join(f"{rate[name]:20.0f} {p99[name]:8.3f}" for name in running)
            peers = [name for name in running if name != "ours"]
            ratios = [f"{name} {rate['ours'] / rate[name]:.2f}, {p99['ours'] / p99[name]:.2f}" for name in peers]
            print(line + "   " + "; ".join(ratios), flush=True)
    for server in running.values():
        server.stop()


def wrk(server, mode, connections, seconds):
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", "-s", str(HERE / "mcp.lua")]
    command += [f"http://127.0.0.1:{server.port}/mcp", "--", mode]
    output = subprocess.run(command, env={**os.environ, "TOKEN": TOKEN}, capture_output=True, text=True, check=True)
    rate, p99, failed = output.stdout.split("RESULT ")[1].split()
    if failed != "0":
        sys.exit(f"{shlex.join(command)}: {failed} requests failed")
    return float(rate), float(p99)


def memory(data, chat):
    running = servers()
    running["serve"] = serve(data).wait()
    time.sleep(2)
    for name, server in running.items():
        arguments = {"chat": chat, "wait": 86400} if name == "serve" else {"seconds": 600}
        call = {"name": "receive" if name == "serve" else "slow", "arguments": arguments}
        idle = server.memory()
        streams = []
        for number in range(OPEN):
            stream = server.connect()
            stream.sendall(server.request("tools/call", call, progress=number))
            streams.append(stream)
        time.sleep(3)
        held = server.memory()
        begun = sum(stream.recv(17) == b"HTTP/1.1 200 OK\r\n" for stream in streams)
        for stream in streams:
            stream.close()
        time.sleep(1)
        each = (held - idle) / OPEN
        print(f"memory of {name}: idle {idle} kB, with {begun} open calls {held} kB = {each:.1f} kB each, after them {server.memory()} kB")
        server.stop()


def start(data):
    times = []
    for _ in range(2 * RUNS + 1):
        begin = time.perf_counter()
        server = serve(data).wait()
        times.append((time.perf_counter() - begin) * 1000)
        server.stop()
    print(f"start of serve to its first answer: median {statistics.median(times):.1f} ms, {min(times):.1f} to {max(times):.1f}")


def main():
    wanted = sys.argv[1:] or ["load", "memory", "start"]
    if any(word not in ["load", "memory", "start"] for word in wanted):
        sys.exit(__doc__)
    print(f"load of this machine: {' '.join(f'{load:.1f}' for load in os.getloadavg())}")
    if "load" in wanted:
        load()
    if "memory" in wanted or "start" in wanted:
        with tempfile.TemporaryDirectory() as folder:
            data = Path(folder) / "agent"
            chat = prepared(data)
            if "memory" in wanted:
                memory(data, chat)
            if "start" in wanted:
                start(data)


if __name__ == "__main__":
    main()
