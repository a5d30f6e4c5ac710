"""Measures lists in headless Chromium and diffable-web, and prints one JSON object with all figures.

    .build/web/bin/python Benchmarks/web.py [NAME...]      all parts, or those with these names

`make bench ONLY=web` runs it once a round. DIFFABLED_BINARIES names the programs. It uses the fixture of Tests/WebTests.
"""

from __future__ import annotations

import gzip
import json
import os
import select
import statistics
import sys
import threading
import time
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(REPOSITORY / "Tests/WebTests"), str(REPOSITORY / "clients/python/src")]
os.environ.setdefault("DIFFABLED_BINARIES", str(REPOSITORY / ".build/release"))

from fixture import PROBE, SIZE, Stage, eventually  # noqa: E402
from playwright.sync_api import Page  # noqa: E402
from sockets import WebSocket  # noqa: E402

MILLION = 1_000_000
Figures = dict[str, float]


class Bench:
    def __init__(self) -> None:
        self.stage = Stage.shared()
        self.web, self.daemon, self.client = self.stage.web, self.stage.daemon, self.stage.client
        self.token = self.web.link()
        context = self.stage.browser.new_context(viewport=SIZE)
        context.add_init_script(PROBE)
        # A page that has been opened before has its token, and no module in its cache that it does not ask for again.
        self.page: Page = context.new_page()
        self.page.goto(f"{self.web.url}/health")
        self.page.goto(f"{self.web.url}/#token={self.token}")
        eventually(lambda: "token" not in self.page.url)
        self.devtools = context.new_cdp_session(self.page)

    def fill(self, name: str, rows: int) -> str:
        self.daemon.ctl("create", name, "--volatile")
        lines = "".join(f'{{"id":"r{n}","text":"Row {n}"}}\n' for n in range(rows))
        self.daemon.ctl("apply", name, "-q", "--from", "ndjson", "-", stdin=lines)
        return name

    def open(self, name: str) -> None:
        self.page.goto(f"{self.web.url}/?list={name}")
        eventually(lambda: self.page.evaluate("probe.root && probe.blank() == 0"), f"{name} is drawn")

    def metric(self, name: str) -> float:
        return {it["name"]: it["value"] for it in self.devtools.send("Performance.getMetrics")["metrics"]}[name]

    # Parts

    def sizes(self) -> Figures:
        page = self.stage.browser.new_page()
        bodies: dict[str, bytes] = {}
        page.on("requestfinished", lambda request: bodies.setdefault(request.url.split("#")[0], request.response().body()))
        page.goto(f"{self.web.url}/#token={self.token}")
        page.wait_for_load_state("networkidle")
        page.close()
        sizes = {url: len(gzip.compress(body, 9)) for url, body in bodies.items() if not url.endswith(("/health", "/socket"))}
        own = next(size for url, size in sizes.items() if url.endswith("/diffable.js"))
        return {"module bytes": own, "all bytes": sum(sizes.values())}

    def first_rows(self) -> Figures:
        name = self.fill("thousand", 1_000)
        self.page.add_init_script("""(async () => {
            while (!(globalThis.probe?.root && probe.rows().some(row => row.isVisible && /Row/.test(row.text))))
                await new Promise(requestAnimationFrame);
            globalThis.firstRows = await probe.painted();
        })()""")
        times = []
        for _ in range(5):
            self.page.goto(f"{self.web.url}/?list={name}")
            times.append(eventually(lambda: self.page.evaluate("globalThis.firstRows")))
        return {"first rows ms": statistics.median(times)}

    def million(self) -> Figures:
        self.open(self.fill("million", MILLION))
        scrolled: dict[str, Any] = self.page.evaluate("""async () => {
            const scroller = probe.scroller, blanks = [];
            const begin = performance.now();
            let frames = 0, before = begin;
            while (before - begin < 10_000) {
                const now = await new Promise(requestAnimationFrame);
                scroller.scrollTop += 20_000 * (now - before) / 1000;
                before = now;
                frames++;
                blanks.push(probe.blank());
            }
            return {frames: frames * 1000 / (before - begin), blank: blanks.reduce((a, b) => a + b) / blanks.length};
        }""")
        jumps: list[float] = self.page.evaluate("""async () => {
            const scroller = probe.scroller, times = [];
            for (let jump = 0; jump < 30; jump++) {
                await new Promise(resolve => setTimeout(resolve, 400));
                const begin = performance.now();
                // The golden ratio leads everywhere.
                scroller.scrollTop = jump * 0.618034 % 1 * (scroller.scrollHeight - scroller.clientHeight);
                do await probe.painted(); while (probe.blank() > 0 && performance.now() - begin < 5000);
                times.push(performance.now() - begin);
            }
            return times;
        }""")
        self.devtools.send("HeapProfiler.collectGarbage")
        heap = self.devtools.send("Runtime.getHeapUsage")["usedSize"]
        return {"frames": scrolled["frames"], "blank %": 100 * scrolled["blank"], "jump ms": max(jumps), "heap MiB": heap / 2**20}

    def changes(self) -> Figures:
        """A thousand changes a second of rows on the screen, half of them moves. A patch has the time at which it is sent."""
        name = self.fill("changing", 200)
        self.open(name)
        self.devtools.send("Performance.enable")
        seen = len(self.page.evaluate("probe.rows().filter(row => row.isVisible)"))
        self.page.evaluate("""() => {
            globalThis.delays = [];
            const shown = new Map();
            probe.list.addEventListener('update', () => requestAnimationFrame(() => {
                const texts = [];
                for (const {text, isVisible} of probe.rows()) {
                    const [row, sent] = text.split(' at ');
                    if (isVisible && sent && shown.get(row) != sent) texts.push(sent) && shown.set(row, sent);
                }
                const {port1, port2} = new MessageChannel();
                port1.onmessage = () => { for (const sent of texts) delays.push(Date.now() - sent); };
                port2.postMessage(0);
            }));
        }""")
        seconds, begin = 10, time.perf_counter()
        busy, first = self.metric("TaskDuration"), time.perf_counter()

        def send() -> None:
            for number in range(seconds * 500):
                row = number * 7 % (seen - 2)
                self.client.transact(name, [
                    {"op": "patchItems", "items": [
                        {"id": f"r{row}", "content": {"text": f"{row} at {time.time() * 1000:.1f}"}}]}])
                self.client.transact(name, [
                    {"op": "moveItem", "item": f"r{row}", "before": f"r{(row + 1 + number % (seen - 3)) % (seen - 2)}"}])
                time.sleep(max(0, begin + (number + 1) / 500 - time.perf_counter()))

        sender = threading.Thread(target=send)
        sender.start()
        while sender.is_alive():
            self.page.wait_for_timeout(200)
        took = time.perf_counter() - first
        share = (self.metric("TaskDuration") - busy) / took
        delays = sorted(self.page.evaluate("delays"))
        return {"changes/s": seconds * 1000 / took, "painted p50 ms": delays[len(delays) // 2],
                "painted p95 ms": delays[len(delays) * 95 // 100], "main thread %": 100 * share}

    def idle(self) -> Figures:
        """Wake-ups in a minute: of the bridge's threads, and calls of the page's code."""
        page = self.stage.browser.new_context(viewport=SIZE).new_page()
        page.add_init_script(PROBE + """
            globalThis.calls = 0;
            const counted = call => typeof call == 'function' ? (...all) => { calls++; return call(...all) } : call;
            for (const name of ['setTimeout', 'setInterval', 'requestAnimationFrame', 'requestIdleCallback']) {
                const original = globalThis[name];
                globalThis[name] = (call, ...rest) => original.call(globalThis, counted(call), ...rest);
            }
            const Original = WebSocket;
            globalThis.WebSocket = class extends Original {
                constructor(...all) { super(...all); this.addEventListener('message', () => calls++); }
            };""")
        page.goto(f"{self.web.url}/?list={self.fill('still', 100)}#token={self.token}")
        eventually(lambda: page.evaluate("probe.root && probe.rows().length > 10"))
        # Other pages would wake the bridge, too.
        self.page.goto("about:blank")
        time.sleep(20)
        calls, woken = page.evaluate("calls"), wake_ups(self.web.pid)
        time.sleep(60)
        figures = {"bridge wake-ups": wake_ups(self.web.pid) - woken, "page wake-ups": page.evaluate("calls") - calls}
        page.context.close()
        return {**figures, "wake-ups": sum(figures.values())}

    def viewers(self) -> Figures:
        """500 viewers of a list, and one that does not read a million rows."""
        name = self.fill("watched", 100)
        tokens = [self.web.link(name=f"viewers-{number}") for number in range(6)]
        viewers: list[WebSocket] = []

        def begin(count: int) -> None:
            for number in range(count):
                viewers.append(WebSocket(self.web.port, tokens[(len(viewers)) // 100]))
                viewers[-1].request("subscribe", list=name)
                viewers[-1].notification()

        # What the first ones take, all share.
        begin(20)
        time.sleep(1)
        before = resident(self.web.pid)
        begin(480)
        time.sleep(2)
        each = (resident(self.web.pid) - before) / 480
        times = []
        for change in range(20):
            poll = select.poll()
            waiting = {viewer.fileno(): viewer for viewer in viewers}
            for number in waiting:
                poll.register(number, select.POLLIN)
            begun = time.perf_counter()
            self.client.transact(name, [{"op": "patchItems", "items": [{"id": "r1", "content": {"text": f"{change}"}}]}])
            while waiting:
                for number, _ in poll.poll(10_000):
                    waiting.pop(number).notification()
                    poll.unregister(number)
            times.append(time.perf_counter() - begun)
        for viewer in viewers:
            viewer.close()
        names = [known.list for known in self.client.lists()]
        million = "million" if "million" in names else self.fill("million", MILLION)
        time.sleep(2)
        before = resident(self.web.pid)
        stalled = WebSocket(self.web.port, tokens[5])
        stalled.send("subscribe", list=million)
        time.sleep(8)
        kept = resident(self.web.pid) - before
        stalled.close()
        return {"viewer KiB": each / 1024, "change to 500 ms": 1000 * statistics.median(times), "stalled KiB": kept / 1024}

    def windows(self) -> Figures:
        """The daemon's CPU time for a change that one of a thousand windowed viewers sees, over that viewer alone."""
        name = self.fill("windowed", 100_000)
        tokens = [self.web.link(name=f"windows-{number}") for number in range(10)]
        viewers: list[WebSocket] = []

        def window(number: int) -> None:
            viewers.append(WebSocket(self.web.port, tokens[number // 100]))
            viewers[-1].request(
                "subscribe", list=name, view={"window": {"offset": number * 60, "limit": 50}, "expansion": "own", "expanded": []})
            viewers[-1].notification()

        def cost() -> float:
            begin = cpu_time(self.daemon.pid)
            for change in range(400):
                self.client.transact(
                    name, [{"op": "patchItems", "items": [{"id": f"r{change % 50}", "content": {"text": f"{time.time()}"}}]}])
                viewers[0].notification()
            return (cpu_time(self.daemon.pid) - begin) / 400

        window(0)
        alone = cost()
        for number in range(1, 1_000):
            window(number)
        time.sleep(1)
        together = cost()
        for viewer in viewers:
            viewer.close()
        return {"one window s": alone, "thousand windows s": together, "windows ×": together / alone}


def resident(pid: int) -> int:
    """Resident bytes."""
    return next(int(line.split()[1]) * 1024 for line in Path(f"/proc/{pid}/status").read_text().splitlines()
                if line.startswith("VmRSS:"))


def wake_ups(pid: int) -> int:
    return sum(int(line.split()[1]) for status in Path(f"/proc/{pid}/task").glob("*/status")
               for line in status.read_text().splitlines() if line.startswith("voluntary_ctxt_switches:"))


def cpu_time(pid: int) -> float:
    """Seconds of all threads of a process, by its own clock."""
    return time.clock_gettime((~pid << 3) | 2)


PARTS = {part.__name__: part for part in (
    Bench.sizes, Bench.first_rows, Bench.million, Bench.changes, Bench.idle, Bench.viewers, Bench.windows)}


def main() -> None:
    bench = Bench()
    figures: Figures = {}
    for name in sys.argv[1:] or PARTS:
        try:
            figures |= PARTS[name](bench)
        except Exception as error:  # The other parts are still measured.
            print(f"web: {name}: {type(error).__name__}: {error}", file=sys.stderr)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
