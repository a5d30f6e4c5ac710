"""One run: three hosts, clients on each, a fault, and whether all that was seen keeps the promises."""

import contextlib
import random
import threading
import time
from collections import Counter as Tally

from checker import Checker
from cluster import ENGINE_WAIT, HOSTS, Cluster, await_condition
from collector import Collector
from gateway import NoAnswer
from leases import Holders
from lives import Lives
from records import Recorder, Records, read

from clients import Client, Lost, Reader, Subscriber, Writer

# Until all hosts must have the same after the fault is over, in seconds.
PATIENCE = 60


class Trial:
    def __init__(self, fault, seed, seconds, directory):
        self.fault, self.seed, self.seconds = fault, seed, seconds
        self.directory = directory
        self.chance = random.Random(f"{seed} {fault.summary}")
        self.list = "tasks"
        self.is_ending = threading.Event()
        # The newest revision that anybody was answered with.
        self.newest = 0
        # A life and its last batch, and whether anything was leased by then and not gone.
        self.held = None
        # Writers wait while it is not set.
        self.may_write = threading.Event()
        self.may_write.set()
        # How long a subscriber stays on one connection.
        self.stay = 2.0
        self.violations = []
        self.notes = []
        self.clients = []

    def run(self):
        """The violations, each a sort and a sentence."""
        self.directory.mkdir(parents=True)
        self.recorder = Recorder(self.directory / "records.jsonl")
        self.recorder.write("run", engineWait=ENGINE_WAIT, seed=self.seed, fault=self.fault.summary)
        with Cluster(self.directory) as self.cluster:
            self.cluster.tell = self.tell
            self.fault.prepare(self)
            self.cluster.start_all()
            self._begin()
            try:
                self.fault.run(self)
                self.fault.heal(self)
                self._converge()
            finally:
                self._end()
            self.violations += [("ended", sentence) for sentence in self.cluster.unexpected_ends()]
        self.recorder.close()
        self._check()
        return self.violations

    def _begin(self):
        first = Client(self, "first", 1)
        await_condition(lambda: "result" in (first.ask(1, "createList", {"shared": True, "ifAbsent": True}) or {}), "shared list")
        for host in HOSTS:
            await_condition(lambda host=host: "result" in (first.ask(host, "snapshot", {}) or {}), f"the list on host {host}")
        self.collector = Collector(self.cluster.etcd_for_reading(), self.cluster.etcd, self.list, self.recorder)
        self.collector.start()
        self.clients = self.fault.clients(self)
        for client in self.clients:
            client.start()

    def usual_clients(self, writers=2, pause=0.02):
        made = []
        for host in HOSTS:
            made += [Writer(self, f"w{host}{letter}", host, pause) for letter in "abcdef"[:writers]]
            made += [Reader(self, f"r{host}", host), Subscriber(self, f"s{host}a", host), Subscriber(self, f"s{host}b", host)]
        return made

    @property
    def writers(self):
        return [client for client in self.clients if isinstance(client, Writer)]

    def wait(self, seconds):
        time.sleep(seconds)

    def hold_writers(self):
        """Stops writers until `may_write` is set. All acknowledged changes are then in the records, and in the log as read."""
        self.may_write.clear()
        time.sleep(ENGINE_WAIT + 1)
        await_condition(lambda: not self.collector.is_behind(), "end of what is read of the log")

    def tell(self, what):
        """Records an intervention on the hosts, for people who read the records."""
        self.recorder.write("event", time=self.recorder.now(), what=what)

    def written(self, kind=None):
        """The records so far, all or of a kind."""
        self.recorder.flush()
        return [record for record in read(self.directory / "records.jsonl") if kind in (None, record["type"])]

    # MARK: The end

    def _stop(self, clients):
        for client in clients:
            client.is_over.set()
        for client in clients:
            client.join(60)
            if client.is_alive() or client.problem:
                self.violations.append(("harness", f"{client.name} did not come to its end: {client.problem}"))

    def _converge(self):
        """After the last change: the log, all hosts and all subscribers come to the same."""
        self._stop(self.writers)
        self.is_ending.set()
        looker = Client(self, "looker", 1)
        begin = time.monotonic()
        try:
            await_condition(lambda: self._is_quiet(looker) and self._holds_nothing() and self._read_all(looker),
                            "end of changes that all hosts and subscribers have", PATIENCE)
        except TimeoutError as error:
            places = [client.place for client in self._subscribers()]
            self.violations.append(("final", f"{error}: the log is at {self._head()}, the hosts at {self._revisions(looker)}, "
                                             f"subscribers at {places}"))
        self.notes.append(f"converged in {time.monotonic() - begin:.1f} s")

    def _holds_nothing(self):
        """Whether everything leased was deleted, because all holders are gone. Computed once for each batch, as soon as it is in
        the records, which get the head earlier."""
        last = self.collector.epoch, (self.collector.head or {}).get("batch", 0)
        if self.held is None or self.held[0] != last:
            life = Lives(Records(self.written()), lambda *_: None).get(last[0])
            if life is None or max(life.log.batches, default=0) < last[1]:
                return False
            self.held = last, Holders.at_end(life.log).hold
        return not self.held[1]

    def _read_all(self, client):
        """Reads the list a last time on each host; false if the log grew in between, as it may with changes of unknown outcome."""
        head = self._head()
        reads = [client.ask(host, "snapshot", {}) for host in HOSTS]
        try:
            if self.collector.is_behind():
                return False
        except NoAnswer:
            return False
        if head != self._head() or not all(read and "result" in read for read in reads):
            return False
        # The log may have gone on since the hosts were quiet, and a host be told of it in a moment.
        if any(read["result"]["revision"] != head[1] for read in reads):
            return False
        self.recorder.write("end", epoch=head[0], revision=head[1], requests=[read["id"] for read in reads])
        return True

    def _subscribers(self):
        return [client for client in self.clients if isinstance(client, Subscriber)]

    def _head(self):
        return self.collector.epoch, (self.collector.head or {}).get("revision")

    def _revisions(self, client):
        revisions = []
        for host in HOSTS:
            answer = {}
            with contextlib.suppress(Lost):
                connection = client.connection(host)
                connection.send({"id": 1, "method": "lists"})
                answer = connection.receive()
            known = next((one for one in answer.get("result", {}).get("lists", []) if one["list"] == self.list), None)
            revisions.append(known and (known["epoch"], known["revision"], known.get("shared", {}).get("live")))
        return revisions

    def _is_quiet(self, client):
        """Whether all are where the engine's head is."""
        hosts = self._revisions(client)
        followed = [subscriber.place for subscriber in self._subscribers()]
        head = self._head()
        return all(one == (*head, True) for one in hosts) and all(place == head for place in followed)

    def _end(self):
        self._stop(self.clients)
        self.collector.stop()
        if self.collector.problem:
            self.violations.append(("harness", f"the log was not read to its end: {self.collector.problem!r}"))

    # MARK: What came of it

    def _check(self):
        records = Records(read(self.directory / "records.jsonl"))
        checker = Checker(records, list_may_go=self.fault.list_may_go)
        self.violations += checker.violations
        answers = Tally(request.refusal or ("done" if request.is_acknowledged else "lost") for request in records.changing)
        rows = sum(len(life.log.rows) for life in checker.lives)
        answered = ", ".join(f"{count} {name}" for name, count in answers.most_common())
        self.notes.insert(0, f"{len(records.changing)} requests ({answered}), {rows} rows in the log, "
                             f"{sum(map(len, records.heard.values()))} lines to {len(records.follows)} subscriptions")
        kept = sum(settled_elsewhere(life, checker.by_key) for life in checker.lives)
        asked = [request for request in records.requests if request.params.keys() & {"mostRecent", "notOlderThan"}]
        as_new = sum(request.is_acknowledged for request in asked)
        self.notes.insert(1, f"{as_new} of {len(asked)} reads were as new as was asked for")
        self.notes.insert(2, f"{kept} changes whose first answer was lost were answered elsewhere")
        if not answers["done"]:
            self.violations.append(("harness", "nothing was ever acknowledged, so nothing was tried"))


def settled_elsewhere(life, by_key):
    """How many keys are in the log from a host that never answered, and were answered by another one."""
    count = 0
    for key, row in life.rows_by_key.items():
        others = [request for request in by_key[key] if request.is_acknowledged and f"host{request.host}" != row.host]
        count += bool(others) and any(f"host{request.host}" == row.host and not request.is_acknowledged for request in by_key[key])
    return count
