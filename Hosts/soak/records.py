"""The records of a run, one JSON object a line: the clients' requests, the lines that they received, and the data in etcd.

    {"type":"run","engineWait":3}                                                   how long a daemon waits for the engine
    {"type":"request","id":1,"client":"w1","host":1,"begin":0.1,"end":0.2,"method":"transact","params":{…},"result":{…}}
    {"type":"follow","id":2,"client":"s1","host":1,"begin":0.1,"params":{…}}        one subscription of one connection
    {"type":"heard","follow":2,"time":0.2,"line":{…}}                               its lines, in their order
    {"type":"life","list":"tasks","epoch":"E1","time":0.1}                          what the name had in the engine
    {"type":"batch","epoch":"E1","batch":1,"text":"…","time":0.2}                   of the log, each once
    {"type":"head","epoch":"E1","head":{…},"time":0.3}
    {"type":"checkpoint","epoch":"E1","batch":9,"text":"…"}
    {"type":"end","epoch":"E1","revision":41,"requests":[7,8,9]}                    the head while these read, on all hosts
    {"type":"event","time":0.1,"what":"etcd 1 is killed"}                           for people

Of a long `snapshot` in a result there is a `digest` instead. Times are seconds of one clock that does not jump. A request has a
`result`, an `error`, or neither when its connection was lost.
"""

import json
import threading
import time


class Recorder:
    """Writes records as they come, from any thread."""

    def __init__(self, path):
        self._file = open(path, "w")
        self._lock = threading.Lock()
        self._number = 0
        self.begin = time.monotonic()

    def number(self):
        with self._lock:
            self._number += 1
            return self._number

    def now(self):
        return round(time.monotonic() - self.begin, 6)

    def write(self, kind, **members):
        line = json.dumps({"type": kind, **members}, separators=(",", ":"), ensure_ascii=False)
        with self._lock:
            if not self._file.closed:
                self._file.write(line + "\n")

    def flush(self):
        with self._lock:
            self._file.flush()

    def close(self):
        with self._lock:
            self._file.close()


def read(path):
    with open(path) as lines:
        return [json.loads(line) for line in lines]


class Request:
    """One request and its outcome."""

    def __init__(self, record):
        self.id = record["id"]
        self.client, self.host = record["client"], record["host"]
        self.begin, self.end = record["begin"], record["end"]
        self.method, self.params = record["method"], record["params"]
        self.result, self.error = record.get("result"), record.get("error")

    @property
    def key(self):
        return self.params.get("requestKey")

    @property
    def refusal(self):
        """The error's name."""
        return self.error and (self.error.get("data") or {}).get("name", str(self.error["code"]))

    @property
    def changes(self):
        return self.method in ("transact", "apply", "undo", "propose") and not self.params.get("dryRun")

    @property
    def is_acknowledged(self):
        return self.result is not None

    def __str__(self):
        answer = self.result if self.error is None else self.refusal
        return (f"{self.method} {self.id} of {self.client} on host {self.host} ({self.begin:.3f} to {self.end:.3f}, "
                f"{'key ' + self.key if self.key else 'no key'}: {answer or 'no answer'})")


class Records:
    """All records of a run, by their subject."""

    def __init__(self, records):
        def of(kind):
            return [record for record in records if record["type"] == kind]

        self.engine_wait = next((record["engineWait"] for record in of("run")), 10)
        self.requests = [Request(record) for record in of("request")]
        self.changing = [request for request in self.requests if request.changes]
        self.follows = of("follow")
        self.lives = of("life")
        self.batches, self.heads, self.checkpoints = of("batch"), of("head"), of("checkpoint")
        self.ends = of("end")
        self.heard = {record["id"]: [] for record in self.follows}
        for record in of("heard"):
            self.heard[record["follow"]].append(record)
