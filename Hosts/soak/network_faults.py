"""Faults of the network between hosts."""

from cluster import HOSTS, address
from fault import Fault
from proxy import Proxy, WatchFaults


class Minority(Fault):
    summary = "a host is cut off from the others"

    def run(self, trial):
        for _ in range(self.rounds(trial, 7)):
            trial.wait(trial.chance.random())
            trial.cluster.cut(trial.chance.choice(HOSTS))
            # Longer than a change waits, so that some are refused.
            trial.wait(4 + 2 * trial.chance.random())
            trial.cluster.heal()

    def heal(self, trial):
        trial.cluster.heal()


class OneWay(Minority):
    summary = "one host hears another no more, which still hears it"

    def run(self, trial):
        for _ in range(self.rounds(trial, 4)):
            one, other = trial.chance.sample(HOSTS, 2)
            trial.cluster.refuse(one, other)
            if trial.chance.random() < 0.5:
                trial.cluster.refuse(one, 6 - one - other)
            trial.wait(2 + 2 * trial.chance.random())
            trial.cluster.heal()
            trial.wait(trial.chance.random())


class Flapping(Fault):
    summary = "links go and come back"

    def run(self, trial):
        for _ in range(self.rounds(trial, 1)):
            host = trial.chance.choice(HOSTS)
            trial.cluster.link(host, "down")
            trial.wait(trial.chance.choice([0.05, 0.3, 1]))
            trial.cluster.link(host, "up")
            trial.wait(trial.chance.choice([0.05, 0.3, 1]))

    def heal(self, trial):
        for host in HOSTS:
            trial.cluster.link(host, "up")


class Watch(Fault):
    summary = "a proxy drops, repeats and rewinds what a watch says"

    def prepare(self, trial):
        self.watches = WatchFaults(trial.seed)
        use(trial, self.watches)

    def run(self, trial):
        super().run(trial)
        trial.notes.append(str(self.watches))
        if not all(self.watches.done.values()):
            trial.violations.append(("harness", f"the proxy had too little to do: {self.watches}"))

    def heal(self, trial):
        self.watches.is_honest = True


def use(trial, faults):
    """All connectors reach etcd through a proxy."""
    proxy = Proxy([address(host) for host in HOSTS], faults)
    for host in HOSTS:
        trial.cluster.environment["diffabled-etcd", host] = {"ETCD_ENDPOINTS": proxy.endpoints}
