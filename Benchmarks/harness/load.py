"""Deliveries and durable transactions: the load generator against each server in turn."""

import json
import os
import shlex
import subprocess
import sys

from machine import CLIENT_CORE
from servers import BUILT, running

FAN_OUT_SERVERS = ["limit", "diffabled", "redis", "mosquitto"]
SUBSCRIBERS = [10, 100, 1000]
WINDOWS = [1, 64]
# For what is measured with one window alone.
WINDOW = WINDOWS[-1]
RATES = [(1000, 10), (100, 1000)]
# Publishers, and how many transactions each has in flight.
DURABLE_LOADS = [(1, 1), (32, 1), (1, 32), (256, 1)]


def generate(server, dialect=None, **options):
    """Runs the generator once; returns its report. A message that did not arrive correctly is a failure, not a figure."""
    words = [word for name, value in options.items() for word in ("--" + name.replace("_", "-"), str(value))]
    run = subprocess.run(
        [BUILT / "LoadGenerator", "--dialect", dialect or server.name, "--socket", server.socket, "--server", str(server.pid),
         "--core", str(CLIENT_CORE), *words], capture_output=True, text=True, timeout=120)
    if run.returncode != 0:
        raise RuntimeError(f"{run.stderr}{run.stdout}".strip())
    return json.loads(run.stdout)


def is_clean(report):
    """Whether nothing else had the two cores."""
    return (report["othersBusy"] < 0.15 and report["stolen"] < 0.03 and report["generatorWaited"] < 0.02
            and report["serverWaited"] < 0.03)


def is_clean_asking(report):
    """Like `is_clean`, for runs in which some caller always sends: the server is never idle, and the generator hardly ever."""
    return report["othersBusy"] < 0.15 and report["stolen"] < 0.03 and report["generatorWaited"] < 0.02


def is_clean_durable(report):
    """The daemon's two threads share its core, so they wait for each other."""
    return report["othersBusy"] < 0.2 and report["stolen"] < 0.03 and report["generatorWaited"] < 0.02


def fan_out(bench, round_number):
    for name in bench.available(FAN_OUT_SERVERS):
        for subscribers in SUBSCRIBERS:
            for window in WINDOWS:
                def measure():
                    with running(name) as server:
                        return generate(server, subscribers=subscribers, window=window, seconds=bench.seconds(1))

                bench.measure("fanout", round_number, name, measure, is_clean)


# Those who have a load generator of their own, with these options, and how it speaks to each server. Its length is that of a whole
# line to diffabled, about that of 200 bytes of content, and of a payload of redis.
OTHER_GENERATOR = os.environ.get("LOADGEN")
OTHER_LENGTH = 330
OTHER_PROTOCOLS = {
    "redis": ["--proto", "redis"],
    "diffabled": [
        "--proto", "jsonl", "--sub-line", '{"id":1,"method":"subscribe","params":{"list":"load"}}',
        "--ready-prefix", '{"jsonrpc":"2.0","id":1,"result"', "--mut-line",
        '{"id":2,"method":"transact","params":{"list":"load","operations":[{"op":"appendItems","section":"s","items":'
        '[{"id":"%PUB%.%SEQ%","content":"q=%SEQ%;t=%TS%;p=%PUB%;%PAD%"}]}]}}',
        "--ack-prefix", '{"jsonrpc":"2.0","id":2,"result"', "--err-prefix", '{"jsonrpc":"2.0","id":2,"error"',
        "--seq-prefix", "q=", "--ts-prefix", "t=", "--pub-prefix", "p="],
}


def generate_otherwise(server, subscribers, seconds):
    """One run of the other generator, under our names."""
    command = [
        *shlex.split(OTHER_GENERATOR), "--unix", server.socket, *OTHER_PROTOCOLS[server.name], "--size", OTHER_LENGTH,
        "--subs", subscribers, "--window", WINDOW, "--lag", WINDOW, "--spin", "--secs", seconds, "--warmup", 0.3,
        "--pin", CLIENT_CORE, "--server-pid", server.pid]
    run = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=120)
    if run.returncode != 0:
        raise RuntimeError(f"{run.stderr}{run.stdout}".strip())
    report = json.loads(run.stdout)
    names = {
        "deliveriesPerSecond": "deliv_per_s", "serverMicrosecondsPerDelivery": "us_per_deliv",
        "messagesPerRead": "msgs_per_read", "serverBusy": "server_util", "generatorBusy": "loadgen_util",
        "othersBusy": "foreign_util", "stolen": "steal_util", "serverWaited": "server_wait", "generatorWaited": "loadgen_wait"}
    return {"subscribers": subscribers, **{name: report[theirs] for name, theirs in names.items()}}


def generators(bench, round_number):
    """The same load by our generator and by another one, which has another way to read."""
    if not OTHER_GENERATOR:
        return print("bench: LOADGEN names no other load generator, so there is none beside ours", file=sys.stderr)
    for name in bench.available(list(OTHER_PROTOCOLS)):
        for subscribers in SUBSCRIBERS[1:]:
            def theirs():
                with running(name) as server:
                    return generate_otherwise(server, subscribers, bench.seconds(1))

            def ours():
                with running(name) as server:
                    return generate(server, subscribers=subscribers, window=WINDOW, seconds=bench.seconds(1))

            for of, measure in (("theirs", theirs), ("ours", ours)):
                bench.measure("generators", round_number, name, measure, is_clean, of=of)


def latency(bench, round_number):
    for name in bench.available(FAN_OUT_SERVERS):
        for rate, subscribers in RATES:
            def measure():
                with running(name) as server:
                    return generate(server, subscribers=subscribers, rate=rate, seconds=bench.seconds(3))

            bench.measure("latency", round_number, name, measure, is_clean)


# The callers of one handler at a time, with one request each.
ASKERS = 1_000


def handlers(bench, round_number):
    """Measures round trips to a handler, and the time that its consent adds to a transaction."""
    for dialect, name in (("diffabled-perform", "diffabled"), ("redis-queue", "redis")):
        for askers in (1, ASKERS):
            if not bench.available([name]):
                continue

            def measure():
                with running(name) as server:
                    return generate(server, dialect=dialect, publishers=askers, seconds=bench.seconds(1.5))

            bench.measure("handlers", round_number, name, measure, is_clean_asking, of="perform")
    for of, options in (
            ("transact", {"dialect": "diffabled", "subscribers": 0}), ("propose", {"dialect": "diffabled-propose"})):
        def measure():
            with running("diffabled") as server:
                return generate(server, seconds=bench.seconds(1.5), **options)

        bench.measure("handlers", round_number, "diffabled", measure, is_clean_asking, of=of)


def durable(bench, round_number):
    for name in bench.available(["diffabled", "redis-durable"]):
        for publishers, window in DURABLE_LOADS:
            def measure():
                with running(name, durability="durable") as server:
                    return generate(server, publishers=publishers, window=window, seconds=bench.seconds(1.5))

            bench.measure("durable", round_number, name, measure, is_clean_durable)


# Whose results say whether anything else had the cores.
PARTS = {"fanout": fan_out, "generators": generators, "latency": latency, "durable": durable, "handlers": handlers}
