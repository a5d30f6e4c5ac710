"""Measures lists that three hosts share, and etcd itself in the same run: three members on this machine, in network namespaces.

A process of its own measures (`python3 hosts.py SECONDS FOLDER`), since a process cannot leave a namespace.
"""

import contextlib
import json
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path

import etcd
from machine import REPOSITORY, found, processor_seconds, scratch
from servers import DIFFABLED

# Behind our own folder, which has some of the same names.
sys.path.append(str(REPOSITORY / "Hosts" / "soak"))

import cluster

IN_FLIGHT = 256
# Of each host's items, of a content and a value, and how often something is waited for.
ITEMS, LENGTH, ROUND_TRIPS, READS = 256, 100, 300, 400
SECONDS = 4
SHARING = ("diffabled", "diffabled-etcd")


def hosts(bench, round_number):
    missing = next((program for program in ("etcd", "ip") if found(program) is None), None)
    if missing or os.geteuid() != 0:
        raise RuntimeError(f"shared lists need {missing or 'root'}")
    folder = scratch("hosts")
    try:
        bench.patience.wait()
        run = subprocess.run(
            [sys.executable, "-B", __file__, str(bench.seconds(SECONDS)), folder], check=True, capture_output=True, text=True,
            timeout=600)
        for line in run.stdout.splitlines():
            bench.record("hosts", round_number, True, server="diffabled", **json.loads(line))
    finally:
        shutil.rmtree(folder)
    bench.record("hosts", round_number, True, server="diffabled", what="daemon", libraries=_network_libraries())


def _network_libraries():
    """Counts the parts of TLS, gRPC and HTTP/2 that the daemon is linked with, as libraries or statically."""
    libraries = subprocess.run(["ldd", DIFFABLED], check=True, capture_output=True, text=True).stdout
    symbols = DIFFABLED.read_bytes()
    return len(re.findall(r"libssl|libcrypto|grpc|nghttp", libraries)) + sum(
        word in symbols for word in (b"GRPCCore", b"CNIOBoringSSL", b"NIOHTTP2", b"etcdserverpb"))


# MARK: - In the namespace

def main():
    seconds, folder = float(sys.argv[1]), Path(sys.argv[2])
    with cluster.Cluster(base=folder, engine_wait=10) as hosts_of:
        hosts_of.tell = lambda _: None
        hosts_of.start_all()
        lists = [_begin(hosts_of, host) for host in cluster.HOSTS]
        # What is measured first would find etcd's file short.
        for say in (_puts, _one_host, _puts, _three_hosts, _puts):
            tell(say(hosts_of, seconds, lists))
        tell(_put_to_watch())
        tell(_to_another_host(hosts_of))
        tell(_reads(hosts_of))


def tell(figures):
    print(json.dumps(figures), flush=True)


class Client:
    """Lines to one daemon."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(60)
        self.socket.connect(path)
        self.lines = self.socket.makefile("rb")

    def send(self, method, **params):
        self.socket.sendall(request(method, **params))

    def ask(self, method, **params):
        self.send(method, **params)
        while "id" not in (answer := json.loads(self.lines.readline())):
            pass
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return answer["result"]


def request(method, **params):
    return json.dumps({"id": 1, "method": method, "params": params}, separators=(",", ":")).encode() + b"\n"


def change(host, number):
    """Returns a change of one item that belongs to the host."""
    return request("transact", list="load", operations=[
        {"op": "reconfigureItems", "items": [{"id": f"{host}.{number % ITEMS}", "content": f"{number:0{LENGTH}}"}]}])


def _begin(hosts_of, host):
    """Fills a host's part of the list; a connection to it."""
    def is_there():
        with contextlib.suppress(RuntimeError):
            if host == cluster.HOSTS[0]:
                client.ask("createList", list="load", shared=True, ifAbsent=True)
            return client.ask("snapshot", list="load") is not None
        return False

    client = Client(hosts_of.socket(host))
    cluster.await_condition(is_there, f"shared list on host {host}")
    items = [{"id": f"{host}.{number}", "content": "x" * LENGTH} for number in range(ITEMS)]
    client.ask("transact", list="load", operations=[{"op": "appendSections", "sections": [{"id": f"s{host}", "items": items}]}])
    return client


def _puts(_, seconds, __):
    puts = [etcd.put(f"/bench/{number}".encode(), f"{number:0{LENGTH}}".encode()) for number in range(ITEMS)]
    with etcd.connected(cluster.address(1)) as connection:
        connection.put_all(puts, IN_FLIGHT, 0.5)
        count, took = connection.put_all(puts, IN_FLIGHT, seconds)
    return {"what": "puts", "rate": count / took}


class Load(threading.Thread):
    """Keeps a number of transactions in flight, and counts the ones that were acknowledged during the measurement."""

    def __init__(self, client, host, seconds):
        super().__init__()
        self.client, self.host = client, host
        self.lines = [change(host, number) for number in range(20_000)]
        self.begin, self.end = time.perf_counter() + 1, time.perf_counter() + 1 + seconds
        self.done, self.refused = 0, 0

    def run(self):
        sent = answered = 0
        rest = b""
        while True:
            now = time.perf_counter()
            free = IN_FLIGHT - (sent - answered)
            if now < self.end and free:
                self.client.socket.sendall(b"".join(self.lines[(sent + index) % len(self.lines)] for index in range(free)))
                sent += free
            if sent == answered:
                return
            *lines, rest = (rest + self.client.socket.recv(1 << 18)).split(b"\n")
            answered += len(lines)
            if self.begin <= time.perf_counter() <= self.end:
                self.done += len(lines)
            self.refused += sum(b'"error"' in line for line in lines)


def _loads(clients, numbers, seconds):
    loads = [Load(client, host, seconds) for client, host in zip(clients, numbers)]
    for load in loads:
        load.start()
    for load in loads:
        load.join()
    if any(load.refused for load in loads):
        raise RuntimeError(f"{sum(load.refused for load in loads)} transactions were refused")
    return [load.done / seconds for load in loads]


def _one_host(hosts_of, seconds, clients):
    """Measures one host while the others are paused except for etcd: as separate machines, they would take no CPU time from it."""
    for host in cluster.HOSTS[1:]:
        hosts_of.pause(host, SHARING)
    before = _processor(hosts_of)
    rate, = _loads(clients[:1], cluster.HOSTS[:1], seconds)
    # The load goes on for a second before it is measured.
    count = rate * (seconds + 1)
    figures = {f"{kind}Processor": used / count for kind, used in _used(before, _processor(hosts_of)).items()}
    for host in cluster.HOSTS[1:]:
        hosts_of.go_on(host, SHARING)
    return {"what": "one host", "rate": rate, **figures}


def _processor(hosts_of):
    return {(kind, host): processor_seconds(process.pid) for (kind, host), process in hosts_of.processes.items()}


def _used(before, after):
    """By kind, of all hosts."""
    return {kind: sum(after[one] - before[one] for one in after if one[0] == kind) for kind in cluster.KINDS}


def _three_hosts(hosts_of, seconds, clients):
    for client in clients[1:]:
        # What the host has missed while it stood still.
        cluster.await_condition(lambda client=client: _revision(client) == _revision(clients[0]), "equal lists")
    rates = _loads(clients, cluster.HOSTS, 2 * seconds)
    return {"what": "three hosts", "rate": sum(rates), "unfairness": max(rates) / max(min(rates), 0.1)}


def _revision(client):
    return client.ask("lists")["lists"][0]["revision"]


def _put_to_watch():
    """From a put at one member to the event at another."""
    waits = []
    with etcd.connected(cluster.address(1)) as putting, etcd.connected(cluster.address(2)) as watching:
        watching.watch(b"/bench/")
        for number in range(ROUND_TRIPS):
            heard = []
            thread = threading.Thread(target=lambda heard=heard: heard.append(watching.await_event()))
            thread.start()
            begin = time.perf_counter()
            putting.put(etcd.put(b"/bench/watched", f"{number:0{LENGTH}}".encode()))
            thread.join()
            waits.append(heard[0] - begin)
    return {"what": "put to watch", "seconds": statistics.median(waits)}


def _to_another_host(hosts_of):
    """From a transaction on one host, and from its acknowledgement, to the changes at a client of another."""
    here, there = Client(hosts_of.socket(1)), Client(hosts_of.socket(2))
    there.ask("subscribe", list="load")
    while b'"more":true' in (line := there.lines.readline()) or b'"method":"reset"' not in line:
        pass
    from_sending, from_answer = [], []
    for number in range(ROUND_TRIPS):
        heard = []
        thread = threading.Thread(target=lambda heard=heard: heard.append(_await_changes(there)))
        thread.start()
        begin = time.perf_counter()
        here.socket.sendall(change(1, 1_000_000 + number))
        here.lines.readline()
        answered = time.perf_counter()
        thread.join()
        from_sending.append(heard[0] - begin)
        from_answer.append(max(heard[0] - answered, 0))
    return {"what": "to another host", "seconds": statistics.median(from_sending), "fromAnswer": statistics.median(from_answer)}


def _await_changes(client):
    while b'"method":"changes"' not in client.lines.readline():
        pass
    return time.perf_counter()


def _reads(hosts_of):
    """A snapshot of a shared list on a host that did not write, and of an ordinary one of the same contents, in turn."""
    client = Client(hosts_of.socket(3))
    whole = client.ask("snapshot", list="load")["snapshot"]
    client.ask("createList", list="own")
    client.ask("apply", list="own", snapshot=whole)
    times = {"load": [], "own": []}
    for _ in range(READS):
        for name, some in times.items():
            begin = time.perf_counter()
            client.ask("snapshot", list=name)
            some.append(time.perf_counter() - begin)
    return {"what": "reads", "shared": statistics.median(times["load"]), "own": statistics.median(times["own"])}


if __name__ == "__main__":
    main()
