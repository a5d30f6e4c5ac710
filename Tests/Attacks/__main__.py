"""Attacks a daemon as a second user, measures the requests of a third user, and prints a table of all attacks.

    Tests/Attacks [--briefly] [--only NAME,...] [--list]

The daemon runs as an unprivileged user on a socket that root opened, as under systemd. Only root can run the attacks.
$DIFFABLED_BINARIES is the directory of the programs, .build/release by default.

Exit status: 0 all targets were met, 1 a target was missed.
"""

import argparse
import os
import sys
import time

import floods
import identity
import lives
import memory
import methods
import paths
import quotas
import sources
from daemon import BINARIES
from trial import Attack, Trial, carry_out
from users import allow_descriptors
from victim import METHODS

ATTACKS: list[Attack] = [
    *floods.ATTACKS, *methods.ATTACKS, *lives.ATTACKS, *memory.ATTACKS, *quotas.ATTACKS, *identity.ATTACKS, *paths.ATTACKS,
    *sources.ATTACKS]

# The number of missed targets that the report names for each attack.
SHOWN = 8


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--briefly", action="store_true", help="the bounded version of `make test`")
    parser.add_argument("--only", default="", help="the attacks whose names contain one of these")
    parser.add_argument("--list", action="store_true", help="print the names of the attacks")
    arguments = parser.parse_args()
    attacks = [attack for attack in ATTACKS if attack.is_brief or not arguments.briefly]
    if arguments.only:
        words = [word.strip() for word in arguments.only.split(",")]
        attacks = [attack for attack in attacks if any(word in attack.name for word in words)]
    if arguments.list:
        print("\n".join(attack.name for attack in attacks))
        return 0
    if os.geteuid() != 0:
        print(f"attacks: skipped, because only root can run programs as several users. As root, this would start "
              f"{BINARIES}/diffabled as an unprivileged user, attack it as a second user in {len(attacks)} ways, and measure the "
              "requests of a third user.")
        return 0
    for program in ("diffabled", "diffablectl", "diffable-feed"):
        if not (BINARIES / program).exists():
            raise SystemExit(f"attacks: there is no {BINARIES / program}: make programs, or set DIFFABLED_BINARIES")
    allow_descriptors()
    begin = time.monotonic()
    trials: list[Trial] = []
    for attack in attacks:
        trial = carry_out(attack, arguments.briefly)
        trials.append(trial)
        print(f"{attack.name}: {trial.outcome.took:.1f} s", file=sys.stderr, flush=True)
    print(report(trials))
    has_held = all(trial.outcome.has_held for trial in trials)
    print(f"attacks: {sum(trial.outcome.has_held for trial in trials)} of {len(trials)} held, in {time.monotonic() - begin:.0f} s")
    return 0 if has_held else 1


def report(trials: list[Trial]) -> str:
    rows = [["attack", *(f"{method}, ms" for method in METHODS), "memory, MiB", "target", "held"]]
    rows.append(["", *("p50/p99/max" for _ in METHODS), "before/peak/after", "", ""])
    notes = []
    for trial in trials:
        outcome = trial.outcome
        if trial.idle and outcome.latencies:
            rows.append(["  idle", *(str(trial.idle[method]) for method in METHODS), "", "", ""])
        latencies = [str(outcome.latencies[method]) if method in outcome.latencies else "" for method in METHODS]
        held = "skipped" if outcome.skipped else "yes" if outcome.has_held else "NO"
        rows.append([trial.attack.name, *latencies, str(outcome.memory or ""), trial.attack.target, held])
        if outcome.skipped:
            notes.append(f"{trial.attack.name}: skipped, because {outcome.skipped}")
        missed = [what for is_so, what in outcome.checks if not is_so]
        notes += [f"{trial.attack.name}: not held: {what[:300]}" for what in missed[:SHOWN]]
        if len(missed) > SHOWN:
            notes.append(f"{trial.attack.name}: not held: {len(missed) - SHOWN} more")
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    table = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |" for row in rows]
    table.insert(2, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    rows_below = [
        row for trial in trials if trial.outcome.rows for row in (f"{trial.attack.name}:", *trial.outcome.rows, "")]
    return "\n".join(["", *table, "", *rows_below, *notes])


if __name__ == "__main__":
    sys.exit(main())
