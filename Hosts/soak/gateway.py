"""Calls etcd through its JSON gateway, to read the log and to change etcd itself. diffabled-etcd uses gRPC."""

import base64
import http.client
import json

PORT = 2379


class NoAnswer(Exception):
    """No member answered."""


class Etcd:
    """Asks one member after the other until one answers."""

    def __init__(self, addresses, timeout=1):
        self.addresses, self.timeout = list(addresses), timeout

    def ask(self, path, body, address=None):
        problem = "there is no member"
        for member in [address] if address else list(self.addresses):
            connection = http.client.HTTPConnection(member, PORT, timeout=self.timeout)
            try:
                connection.request("POST", path, json.dumps(body))
                answer = connection.getresponse()
                text = answer.read()
                if answer.status == 200:
                    return json.loads(text)
                problem = f"{member}: {text[:200]}"
            except (OSError, http.client.HTTPException) as error:
                problem = f"{member}: {error}"
            finally:
                connection.close()
            if member in self.addresses:
                # The next time begins with another one.
                self.addresses.append(self.addresses.pop(self.addresses.index(member)))
        raise NoAnswer(problem)

    def read(self, *ranges):
        """Several ranges at one moment, each a prefix, or a first key, an end and a limit: lists of (key, value)."""
        operations = [{"requestRange": _range(*one) if isinstance(one, tuple) else _range(one, _behind(one))} for one in ranges]
        answer = self.ask("/v3/kv/txn", {"success": operations})
        return [[(_text(stored["key"]), _text(stored.get("value", ""))) for stored in response["response_range"].get("kvs", [])]
                for response in answer["responses"]]

    def keys(self, prefix):
        found = self.ask("/v3/kv/range", {**_range(prefix, _behind(prefix)), "keys_only": True})
        return [_text(stored["key"]) for stored in found.get("kvs", [])]

    def revision(self):
        return int(self.ask("/v3/kv/range", {"key": _bytes("/diffabled"), "limit": 1})["header"]["revision"])

    def compact(self):
        """Forgets all that was before now."""
        self.ask("/v3/kv/compaction", {"revision": str(self.revision()), "physical": True})

    def put(self, key, value):
        return self.ask("/v3/kv/put", {"key": _bytes(key), "value": _bytes(value)})

    def delete(self, prefix):
        return self.ask("/v3/kv/deleterange", {"key": _bytes(prefix), "range_end": _bytes(_behind(prefix))})

    def defragment(self, address):
        self.ask("/v3/maintenance/defragment", {}, address)

    def alarms(self):
        return self.ask("/v3/maintenance/alarm", {"action": "GET"}).get("alarms", [])

    def disarm(self):
        for alarm in self.alarms():
            self.ask("/v3/maintenance/alarm", {"action": "DEACTIVATE", **alarm})

    def is_healthy(self, address):
        try:
            self.ask("/v3/kv/range", {"key": _bytes("/diffabled")}, address)
            return True
        except NoAnswer:
            return False

    def leader(self):
        """The address of the member that leads, if one says that it does."""
        for address in sorted(self.addresses):
            try:
                status = self.ask("/v3/maintenance/status", {}, address)
            except NoAnswer:
                continue
            if status.get("leader", "0") == status["header"]["member_id"]:
                return address
        return None


def _range(first, end, limit=0):
    return {"key": _bytes(first), "range_end": _bytes(end), "limit": limit}


def _behind(prefix):
    return prefix[:-1] + chr(ord(prefix[-1]) + 1)


def _bytes(text):
    return base64.b64encode(text.encode()).decode()


def _text(encoded):
    return base64.b64decode(encoded).decode()
