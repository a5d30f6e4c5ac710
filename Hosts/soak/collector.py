"""Reads the log of a list out of etcd as it grows: a checkpoint deletes what is before it, and it could not be read at the end."""

import contextlib
import json
import threading

from gateway import NoAnswer

SPACE = "/diffabled/default/"
# Batches in one read.
MANY = 200


class Collector(threading.Thread):
    """Records lives, heads, batches and checkpoints of one list."""

    def __init__(self, etcd, reader, name, recorder):
        super().__init__(daemon=True)
        # For the thread, and for whoever asks it something.
        self._etcd, self._reader = etcd, reader
        self._name, self._recorder = name, recorder
        self._is_over = threading.Event()
        self.epoch, self.head = None, None
        self._last, self._checkpoint, self._seen = 0, None, 0.0
        self._epochs = set()
        self.problem = None

    def run(self):
        try:
            while not self._is_over.wait(0.05):
                with contextlib.suppress(NoAnswer):
                    while self.look():
                        pass
        except Exception as error:  # Whoever waits for the end is told.
            self.problem = error
            raise

    def stop(self):
        self._is_over.set()
        self.join(30)

    def look(self):
        """Reads new rows; returns true if more are left."""
        before = self._recorder.now()
        if self.epoch is None:
            return self._look_at_name(before)
        life = f"{SPACE}l/{self.epoch}/"
        found = self._etcd.read(
            (f"{SPACE}lists/{self._name}", f"{SPACE}lists/{self._name}\0"), (f"{life}head", f"{life}head\0"),
            (f"{life}log/{self._last + 1:016}", f"{life}log/~", MANY))
        names, heads, batches = found
        if not names or json.loads(names[0][1])["id"] != self.epoch:
            self.epoch = None
            return True
        self._seen = before
        now = self._recorder.now()
        for key, text in batches:
            number = int(key.rpartition("/")[2])
            if text.startswith('{"attempt":'):
                pieces, = self._etcd.read(f"{life}pieces/{number:016}/{json.loads(text)['attempt']}/")
                text = "".join(piece.partition("\n")[2] for _, piece in pieces)
            self._recorder.write("batch", epoch=self.epoch, batch=number, text=text, time=now)
            self._last = number
        if heads:
            head = json.loads(heads[0][1])
            if head != self.head and head["batch"] <= self._last:
                self._recorder.write("head", epoch=self.epoch, head=head, time=now)
            self.head = head
            self._look_at_checkpoint(head)
        return len(batches) == MANY

    def _look_at_name(self, before):
        names, = self._etcd.read((f"{SPACE}lists/{self._name}", f"{SPACE}lists/{self._name}\0"))
        if not names:
            return False
        self.epoch = json.loads(names[0][1])["id"]
        self._recorder.write("life", list=self._name, epoch=self.epoch, time=self._recorder.now(), seen=self._seen)
        if self.epoch not in self._epochs:
            self._epochs.add(self.epoch)
            self._last, self._checkpoint, self.head = 0, None, None
            head, = self._etcd.read((f"{SPACE}l/{self.epoch}/head", f"{SPACE}l/{self.epoch}/head\0"))
            if head:
                self._last = json.loads(head[0][1])["oldest"] - 1
        self._seen = before
        return True

    def _look_at_checkpoint(self, head):
        place = head.get("checkpoint")
        if place is None or place["position"]["batch"] == self._checkpoint:
            return
        folder = f"{SPACE}l/{self.epoch}/cp/{place['position']['batch']:016}/"
        parts, = self._etcd.read(folder)
        if len(parts) == place["parts"]:
            self._checkpoint = place["position"]["batch"]
            self._recorder.write(
                "checkpoint", epoch=self.epoch, batch=self._checkpoint,
                text="".join(value.partition("\n")[2] for _, value in parts))

    def is_behind(self):
        """Whether the head was changed since it was read here."""
        if self.epoch is None:
            return True
        head, = self._reader.read((f"{SPACE}l/{self.epoch}/head", f"{SPACE}l/{self.epoch}/head\0"))
        return not head or json.loads(head[0][1]) != self.head

    def unfinished_checkpoints(self):
        """Returns the checkpoints that have parts and are not in force."""
        if self.epoch is None:
            return []
        place = (self.head or {}).get("checkpoint") or {"position": {"batch": 0}}
        folder = f"{SPACE}l/{self.epoch}/cp/"
        batches = {int(key[len(folder):].partition("/")[0]) for key in self._reader.keys(folder)}
        return sorted(batch for batch in batches if batch > place["position"]["batch"])
