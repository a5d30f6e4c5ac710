"""Makes the rows of the table from the results of a run: the target, the measured value, and whether it meets the target."""

import statistics
from dataclasses import dataclass, field

import load


class Figures:
    """The results of one run, to be asked for series of one value a round."""

    def __init__(self, results):
        self.results = results
        self.run = next((result for result in results if result["part"] == "run"), {})

    def series(self, part, key, **criteria):
        """By round."""
        return {
            result["round"]: result[key] for result in self.results
            if result["part"] == part and all(result.get(name) == value for name, value in criteria.items())
            and key in result}

    def ratios(self, above, below):
        """One for each round that has both."""
        return [above[number] / below[number] for number in sorted(above.keys() & below.keys()) if below[number]]

    def disturbed(self):
        loads = [result for result in self.results if result["part"] in load.PARTS]
        return sum(not result["clean"] for result in loads), len(loads)


@dataclass
class Row:
    """One line of the issue's table. `values` are in the target's unit, one for each round."""

    what: str
    target: float
    is_least: bool
    values: list
    unit: str
    ours: str = ""
    others: str = ""
    conditions: list = field(default_factory=list)

    @property
    def is_measured(self):
        return bool(self.values)

    @property
    def median(self):
        return statistics.median(self.values)

    @property
    def is_met(self):
        """Compares the measured value, not the rounded one in the table."""
        reached = self.median >= self.target if self.is_least else self.median <= self.target
        return reached and all(holds for _, holds in self.conditions)

    def cells(self):
        bound = ("≥ " if self.is_least else "≤ ") + shown(self.target, self.unit)
        if not self.is_measured:
            return [self.what, bound, "not measured", "", "", "", ""]
        extent = f"{shown(min(self.values), self.unit)} – {shown(max(self.values), self.unit)}"
        verdict = "met" if self.is_met else "**not met**"
        notes = [text for text, _ in self.conditions]
        return [self.what, "; ".join([bound, *notes]), f"**{shown(self.median, self.unit)}**", extent, verdict,
                self.ours, self.others]


def shown(value, unit):
    """With three digits."""
    if unit == "×":
        return f"{value:.2f} ×" if value < 10 else f"{value:.1f} ×" if value < 100 else f"{value:,.0f} ×"
    if unit == "MiB":
        return f"{value:.1f} MiB"
    if unit == "KiB":
        return f"{value:.1f} KiB"
    if unit == "k/s":
        return f"{value:.1f} k/s"
    if unit in ("ms", "s"):
        return seconds(value / (1000 if unit == "ms" else 1))
    if unit == "%":
        return f"{value:.2f} %"
    if unit in ("B", "Hz", ""):
        return f"{value:,.0f} {unit}".strip()
    if unit == "µs":
        return f"{value:.2f} µs"
    raise ValueError(unit)


def seconds(value):
    if value >= 1:
        return f"{value:.2f} s"
    if value >= 1e-3:
        return f"{value * 1e3:.3g} ms"
    return f"{value * 1e6:.3g} µs" if value >= 1e-6 else f"{value * 1e9:.0f} ns"


def rate(value):
    if value >= 1e6:
        return f"{value / 1e6:.2f} M/s"
    return f"{value / 1e3:.0f} k/s" if value >= 1e4 else f"{value:,.0f}/s"


def middle(series):
    return statistics.median(series.values()) if series else None


def said(form, series, name=""):
    value = middle(series)
    return "" if value is None else (name + " " if name else "") + form(value)


# MARK: - The rows

def rows(figures):
    return [
        *difference_rows(figures), *operation_rows(figures), *delivery_rows(figures), *durable_rows(figures),
        *handler_rows(figures), *list_rows(figures), *view_rows(figures), *crowd_rows(figures),
        *typed_rows(figures), *feed_rows(figures), *host_rows(figures), *viewer_rows(figures), *web_rows(figures)]


def core(figures, workload, items, engine="diffable"):
    """In seconds."""
    series = figures.series("core", "nanoseconds", workload=workload, items=items, engine=engine)
    return {number: value / 1e9 for number, value in series.items()}


def difference_rows(figures):
    size = 100_000
    for workload, what, targets in (
            ("difference, mix", "difference, 100,000 ids, 1% each of inserts, deletes, moves, changes",
             (("standard library", 50), ("Heckel", 8))),
            ("difference, shuffled", "difference, 100,000 ids shuffled", (("Heckel", 5),))):
        own = core(figures, workload, size)
        moves = figures.series("core", "moves", workload=workload, items=size).get(0)
        fewest = figures.series("core", "fewestMoves", workload=workload, items=size).get(0)
        for engine, target in targets:
            other = core(figures, workload, size, engine)
            conditions = [(f"moves minimal ({moves:,} of {fewest:,})", moves == fewest)] if moves is not None else []
            yield Row(
                f"{what}: {engine}'s time over ours", target, True, figures.ratios(other, own), "×",
                said(seconds, own), said(seconds, other, engine), conditions)
    small, large = (core(figures, "difference, one change apart", items) for items in (1_000, 1_000_000))
    yield Row(
        "difference one change apart, a million items over a thousand", 3, False, figures.ratios(large, small), "×",
        said(seconds, large), said(seconds, small, "in a thousand"))


def operation_rows(figures):
    for workload in ("insert", "delete", "move", "reconfigure", "index of id", "id at index"):
        small, large = (core(figures, workload, items) for items in (1_000, 1_000_000))
        yield Row(
            f"{workload}, a million items over a thousand", 4, False, figures.ratios(large, small), "×",
            said(seconds, large), said(seconds, small, "in a thousand"))
        yield Row(
            f"{workload} in a million items", 5, False, [value * 1e6 for value in large.values()], "µs",
            said(seconds, large))


def delivery_rows(figures):
    def deliveries(server, subscribers, window):
        return figures.series(
            "fanout", "deliveriesPerSecond", server=server, subscribers=subscribers, window=window)

    for window, target, counts, what in (
            (64, 2, (100, 1000), "window 64"), (1, 1, (10, 100, 1000), "one at a time")):
        for subscribers in counts:
            own, other = (deliveries(server, subscribers, window) for server in ("diffabled", "redis"))
            yield Row(
                f"deliveries to {subscribers:,} subscribers, {what}, over redis", target, True,
                figures.ratios(own, other), "×", said(rate, own), said(rate, other, "redis"))
    for subscribers, target in ((100, 1.2), (1000, 2)):
        own, other = (
            figures.series("generators", "deliveriesPerSecond", server=server, subscribers=subscribers, of="theirs")
            for server in ("diffabled", "redis"))
        if own:
            yield Row(
                f"deliveries to {subscribers:,} subscribers, window 64, with another generator (330 bytes), over redis", target,
                True, figures.ratios(own, other), "×", said(rate, own), said(rate, other, "redis"))
    own, limit = (
        figures.series("fanout", "serverMicrosecondsPerDelivery", server=server, subscribers=1000, window=64)
        for server in ("diffabled", "limit"))
    yield Row(
        "server CPU a delivery, 1,000 subscribers, window 64, over the C limit", 2, False, figures.ratios(own, limit),
        "×", said(lambda value: seconds(value / 1e6), own), said(lambda value: seconds(value / 1e6), limit, "limit"))
    own, other = (
        figures.series("latency", "deliveryP99Microseconds", server=server, rate=1000, subscribers=10)
        for server in ("diffabled", "redis"))
    yield Row(
        "publish to delivery, p99, 1,000/s to 10 subscribers, over redis", 1.5, False, figures.ratios(own, other), "×",
        said(lambda value: seconds(value / 1e6), own), said(lambda value: seconds(value / 1e6), other, "redis"))


def durable_rows(figures):
    for publishers, window, what in (
            (1, 1, "1 in flight"), (32, 1, "32 in flight (32 clients)"), (1, 32, "32 in flight (1 client)"),
            (256, 1, "256 in flight (256 clients)")):
        own, other = (
            figures.series("durable", "answersPerSecond", server=server, publishers=publishers, window=window)
            for server in ("diffabled", "redis-durable"))
        yield Row(
            f"durable transactions, {what}, over redis", 1.5, True, figures.ratios(own, other), "×", said(rate, own),
            said(rate, other, "redis"))


def handler_rows(figures):
    def round_trips(server, askers):
        return figures.series("handlers", "answersPerSecond", server=server, publishers=askers, of="perform")

    own = round_trips("diffabled", 1_000)
    yield Row(
        "`perform` by 1,000 askers of one handler, a second", 20, True, [value / 1e3 for value in own.values()], "k/s",
        said(rate, own))
    for askers, whom in ((1_000, "1,000 askers"), (1, "one asker")):
        own, other = round_trips("diffabled", askers), round_trips("redis", askers)
        yield Row(
            f"`perform` by {whom} of one handler, over redis' `BLPOP` and `LPUSH`", 0.5, True,
            figures.ratios(own, other), "×", said(rate, own), said(rate, other, "redis"))
    consented, own = (
        figures.series("handlers", "answerP50Microseconds", of=of) for of in ("propose", "transact"))
    yield Row(
        "`propose` with consent over `transact`, median", 2.5, False, figures.ratios(consented, own), "×",
        said(lambda value: seconds(value / 1e6), consented), said(lambda value: seconds(value / 1e6), own, "transact"))


def list_rows(figures):
    def wall(part, server):
        return figures.series(part, "wall", server=server)

    def memory(part, server, unit):
        return {number: value / unit for number, value in figures.series(part, "bytes", server=server).items()}

    def mebibytes(value):
        return shown(value, "MiB")

    own, other = wall("apply", "diffabled"), wall("apply", "jq")
    yield Row(
        "`apply` of 100,000 rows, 1,000 of them different, to the last subscriber, over `jq -c .`", 4, False,
        figures.ratios(own, other), "×", said(seconds, own), said(seconds, other, "jq"))
    own, other = (memory("memory of a million", server, 2**20) for server in ("diffabled", "redis"))
    yield Row(
        "resident memory with a million items, over redis with list and hash", 1, False, figures.ratios(own, other),
        "×", said(mebibytes, own), said(mebibytes, other, "redis"))
    own, other = (memory("memory at start", server, 2**20) for server in ("diffabled", "redis"))
    yield Row(
        "resident memory at start", 20, False, list(own.values()), "MiB", said(mebibytes, own),
        said(mebibytes, other, "redis"))
    own, other = (memory("memory of a subscriber", server, 2**10) for server in ("diffabled", "redis"))
    yield Row(
        "resident memory of each of 1,000 idle subscribers", 8, False, list(own.values()), "KiB",
        said(lambda value: shown(value, "KiB"), own), said(lambda value: shown(value, "KiB"), other, "redis"))
    own, other = wall("start", "diffabled"), wall("start", "sqlite3")
    yield Row(
        "start with a million durable items, to READY, over `sqlite3` reading them", 2, False,
        figures.ratios(own, other), "×", said(seconds, own), said(seconds, other, "sqlite3"))
    many, long = wall("start of many lists", "diffabled"), wall("start of long pasts", "diffabled")
    yield Row(
        "start with 20,000 durable lists of 10 items, to READY", 0.5, False, list(many.values()), "s",
        said(seconds, many))
    yield Row(
        "start with 1,000 lists of 100 items and 800 changes of each, all kept, to READY", 1, False, list(long.values()),
        "s", said(seconds, long))
    taken = memory("start of long pasts", "diffabled", 2**20)
    yield Row(
        "resident memory with these pasts, after that start", 150, False, list(taken.values()), "MiB",
        said(mebibytes, taken))
    own, other = wall("command", "diffabled"), wall("command", "redis")
    yield Row(
        "`diffablectl append` as a process, over `redis-cli LPUSH`", 3, False, figures.ratios(own, other), "×",
        said(seconds, own), said(seconds, other, "redis-cli"))


def view_rows(figures):
    def series(what, views, key="processor"):
        return figures.series("views", key, what=what, views=views)

    for what, count, target, name in (
            ("equality", 1_000, 3, "`where` (equality)"), ("ranges", 1_000, 5, "ranges"),
            ("prefixes", 1_000, 5, "prefixes"), ("search", 100, 20, "`search`")):
        many, one = series(what, count), series(what, 1)
        yield Row(
            f"one change of 100,000 items with {count:,} views of different {name}, over one view", target, False,
            figures.ratios(many, one), "×", said(seconds, many), said(seconds, one, "one view"))
        many, one = series(what, count, "told"), series(what, 1, "told")
        yield Row(
            f"one change that one of {count:,} views of different {name} is told of, over that view alone", target, False,
            figures.ratios(many, one), "×", said(seconds, many), said(seconds, one, "alone"))
    own = series("equality", 1_000, "subscribing")
    yield Row(
        "subscribing 1,000 views of different `where` on 100,000 items, to the last of them", 0.5, False,
        list(own.values()), "s", said(seconds, own))
    for key, target, name in (("first", 0.3, "first"), ("narrowed", 0.1, "then narrowed by a letter")):
        own = figures.series("search of a million", key)
        yield Row(
            f"`search` over a million items, {name}", target, False, list(own.values()), "s", said(seconds, own))
    for key, name in (("inside", "seen in it"), ("inserted", "of an item before it")):
        own = figures.series("window over sections", key)
        yield Row(
            f"one change of 100,000 sections of one item, {name}, with a window of 50 rows followed", 300, False,
            [value * 1e6 for value in own.values()], "µs", said(seconds, own))


def typed_rows(figures):
    typed, untyped = (figures.series("typed", "processor", kind=kind) for kind in ("typed", "untyped"))
    decoded = middle(figures.series("typed", "decoded", kind="typed"))
    conditions = [(f"decodes what changed alone ({decoded:g} of 100,000 a change)", decoded == 1)] if typed else []
    yield Row(
        "one change of 100,000 typed items, processor time of the Swift program that follows them, over untyped ones",
        1.3, False, figures.ratios(typed, untyped), "×", said(seconds, typed), said(seconds, untyped, "untyped"),
        conditions)


def feed_rows(figures):
    for rows, middle_max, high_max in ((1_000, 5, 20), (100_000, 150, None)):
        what = "one row" if rows == 1_000 else "ten rows"
        for name, key, bound in (("median", "median", middle_max), ("p95", "high", high_max)):
            if bound:
                waits = figures.series("commit", key, rows=rows)
                yield Row(
                    f"a feed of {rows:,} rows of SQLite: from the commit of {what} to a subscriber, {name}", bound, False,
                    [value * 1e3 for value in waits.values()], "ms", said(seconds, waits))
    feed, applied = figures.series("commit", "median", rows=100_000), figures.series("applied", "wall")
    yield Row(
        "the same over `sqlite3 -json | diffablectl apply`", 0.4, False, figures.ratios(feed, applied), "×",
        said(seconds, feed), said(seconds, applied, "applied"))
    resident = figures.series("idle feeds", "resident")
    yield Row(
        "ten feeds, resident memory", 20, False, [value / (1 << 20) for value in resident.values()], "MiB")
    yield Row("ten feeds, wake-ups in a minute of doing nothing", 0, False,
        list(figures.series("idle feeds", "wakeUps").values()), "")
    share = figures.series("failing feeds", "share")
    yield Row(
        "a hundred feeds that fail, of one core in percent", 1, False,
        [value * 100 for value in share.values()], "%")


def host_rows(figures):
    def series(what, key):
        return figures.series("hosts", key, what=what)

    # Etcd's own puts come before, between and after; each round has their median.
    puts = {}
    for result in figures.results:
        if result["part"] == "hosts" and result["what"] == "puts":
            puts.setdefault(result["round"], []).append(result["rate"])
    puts = {number: statistics.median(rates) for number, rates in puts.items()}
    one, three = series("one host", "rate"), series("three hosts", "rate")
    yield Row(
        "transactions of a list that hosts share, from one host with 256 in flight, over etcd's own puts of one key", 10, True,
        figures.ratios(one, puts), "×", said(rate, one), said(rate, puts, "etcd"))
    unfairness = middle(series("three hosts", "unfairness"))
    conditions = [] if unfairness is None else [
        (f"no host has more than twice another's (max/min {unfairness:.2f})", unfairness <= 2)]
    yield Row(
        "the same from three hosts at once, over one host", 0.7, True, figures.ratios(three, one), "×", said(rate, three),
        said(rate, one, "one host"), conditions)
    watched = series("put to watch", "seconds")
    for key, words in (("fromAnswer", "acknowledged"), ("seconds", "sent")):
        own = series("to another host", key)
        yield Row(
            f"{words} on one host, to `changes` at a client of another, median, over etcd's own put to watch", 3, False,
            figures.ratios(own, watched), "×", said(seconds, own), said(seconds, watched, "etcd"))
    shared, own = series("reads", "shared"), series("reads", "own")
    yield Row(
        "`snapshot` of a shared list on any host, over one of an ordinary list", 1.1, False, figures.ratios(shared, own), "×",
        said(seconds, shared), said(seconds, own, "ordinary"))
    yield Row(
        "TLS, gRPC and HTTP/2 in the daemon of who shares nothing", 0, False, list(series("daemon", "libraries").values()), "")


def crowd_rows(figures):
    one, all_of_them = (figures.series("beginning", "processor", readers=count, items=100_000) for count in (1, 100))
    yield Row(
        "processor time of 100 who begin with a list of 100,000 items, over one", 15, False,
        figures.ratios(all_of_them, one), "×", said(seconds, all_of_them), said(seconds, one, "one"))
    for what, target in (
            ("100 begin with a list of 100,000 items", 10), ("20 begin with a list of 1,000,000 items", 10),
            ("10 who are sent snapshots of 200,000 items, beside 10 changes a second", 10),
            ("`apply` of 100,000 different contents", 5), ("`apply` of 1,000,000 different contents", 5)):
        longest = figures.series("stall", "longest", what=what)
        yield Row(
            f"another client's longest wait, {what}", target, False, [value * 1e3 for value in longest.values()], "ms",
            said(seconds, longest))


def viewer_rows(figures):
    """The terminal viewer on 120 columns and 40 rows."""
    def series(what, key, server="diffabled", factor=1):
        return {number: value * factor for number, value in figures.series("viewer", key, what=what, server=server).items()}

    def row(words, target, unit, what, key, factor=1, other=None, conditions=()):
        own = series(what, key, factor=factor)
        beside = series(what, other or key, "fzf", factor)
        return Row(
            f"`diffablectl view`, {words}", target, False, list(own.values()), unit,
            said(lambda value: shown(value, unit), own), said(lambda value: shown(value, unit), beside, "fzf"),
            [(text, all(holds(value) for value in series(what, name).values())) for text, name, holds in conditions])

    yield row("process to first frame, 1,000 items, p95", 35, "ms", "first frame", "p95", 1000)
    yield row("arrow key to bytes, p99", 2, "ms", "keys", "p99", 1000)
    yield row("bytes for an arrow key", 250, "B", "keys", "bytes")
    yield row("bytes to scroll by a line", 150, "B", "keys", "scrollBytes", conditions=[
        ("in one write", "scrollWrites", lambda count: count == 1)])
    yield row("change to bytes beyond delivery, p99", 5, "ms", "changes", "p99", 1000)
    yield row("frames a second at 10,000 changes", 60, "", "flood", "framesPerSecond", conditions=[
        ("the last change is seen", "showsLast", bool), ("no more than one frame behind", "lateFrames", lambda count: count <= 2)])
    yield row("a million rows, process to first frame", 50, "ms", "million", "open", 1000)
    yield row("a million rows, resident memory", 25, "MiB", "million", "bytes", 2**-20)
    yield row("a million rows, PgDn, p99", 8, "ms", "million", "page", 1000)
    yield row("a million rows, End", 15, "ms", "million", "end", 1000)
    yield row("search of 100,000 rows", 100, "ms", "search", "hundred", 1000)
    yield row("search of a million rows, the first", 300, "ms", "search", "million", 1000)
    yield row("search of a million rows, one more letter", 100, "ms", "search", "narrowing", 1000)
    yield row("wake-ups in a minute of doing nothing", 0, "", "idle", "wakeUps", conditions=[
        ("0 bytes", "bytes", lambda count: count == 0)])
    own = figures.series("command", "wall", server="diffabled")
    yield Row(
        "`diffablectl append` as a process, 12.8 ms before there was a viewer", 14, False,
        [value * 1000 for value in own.values()], "ms", said(seconds, own))


def web_rows(figures):
    """The page in headless Chromium, 800 by 600 pixels."""
    for words, target, unit, key, factor in (
            ("`diffable.js`, compressed", 4, "KiB", "module bytes", 2**-10),
            ("the page with all its files, compressed", 32, "KiB", "all bytes", 2**-10),
            ("navigation to the first of 1,000 rows", 200, "ms", "first rows ms", 1),
            ("a million rows at 20,000 pixels a second, blank", 1, "%", "blank %", 1),
            ("a million rows, the longest of 30 jumps", 80, "ms", "jump ms", 1),
            ("a million rows, heap", 20, "MiB", "heap MiB", 1),
            ("1,000 changes a second, half of them moves, sent to painted, median", 35, "ms", "painted p50 ms", 1),
            ("the same, p95", 70, "ms", "painted p95 ms", 1),
            ("the same, main thread", 35, "%", "main thread %", 1),
            ("one page, wake-ups of page and bridge in a minute of doing nothing", 5, "", "wake-ups", 1),
            ("resident memory of the bridge for each of 500 viewers", 32, "KiB", "viewer KiB", 1),
            ("the same for a browser that does not read a million rows", 256, "KiB", "stalled KiB", 1),
            ("one change to the last of 500 viewers", 100, "ms", "change to 500 ms", 1),
            ("one change that one of 1,000 windowed viewers of a list sees, over that viewer alone", 3, "×", "windows ×", 1)):
        series = figures.series("web", key)
        yield Row(f"in a browser: {words}", target, False, [value * factor for value in series.values()], unit)
    frames = figures.series("web", "frames")
    yield Row("in a browser: a million rows at 20,000 pixels a second, frames a second", 55, True, list(frames.values()), "")
