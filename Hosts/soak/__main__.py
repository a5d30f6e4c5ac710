"""Tests lists that three hosts share during a fault, and checks every promise afterwards.

    make soak-hosts                        each fault once, some ten seconds each
    make soak-hosts SECONDS=60 SEED=7      a minute each; a run with the same seed makes the same choices
    make soak-hosts ONLY=leader,killed     some faults
    make soak-hosts-briefly                the faults that find most, in a minute; for CI
    python3 -B Hosts/soak --check FILE     checks records that a run has left

As root, because hosts are network namespaces. It ends with a line for each fault, and with 1 if a promise was broken; then the
records and the logs of all processes are where it says.
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

import faults
from checker import Checker
from cluster import REPOSITORY
from records import Records, read
from trial import Trial

VIOLATIONS_SHOWN = 8
BRIEFLY, SECONDS_BRIEFLY = ["leader", "minority", "oneway", "killed", "compaction"], 4


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=10, help="of each fault, at least what it needs")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--only", default="", help=f"faults, separated by commas: {', '.join(faults.ALL)}")
    parser.add_argument("--keep", action="store_true", help="keeps records and logs also of what went well")
    parser.add_argument("--briefly", action="store_true", help=f"{', '.join(BRIEFLY)}, {SECONDS_BRIEFLY} s each")
    parser.add_argument("--check", metavar="FILE")
    arguments = parser.parse_args()
    if arguments.check:
        sys.exit(show("records", Checker(Records(read(arguments.check)), list_may_go=True).violations))
    missing = what_is_missing()
    if missing:
        print(f"soak-hosts: skipped: {missing}")
        sys.exit(0 if arguments.briefly else 2)
    if arguments.briefly:
        arguments.only, arguments.seconds = ",".join(BRIEFLY), SECONDS_BRIEFLY
    names = [name for name in arguments.only.split(",") if name] or list(faults.ALL)
    for name in names:
        if name not in faults.ALL:
            parser.error(f"there is no fault {name}: {', '.join(faults.ALL)}")
    folder = Path(tempfile.mkdtemp(prefix="soak-hosts-"))
    print(f"soak-hosts: seed {arguments.seed}, {arguments.seconds:g} s for each fault", flush=True)
    lines, failed = [], False
    for name in names:
        line, is_right = carry_out(name, arguments, folder / name)
        failed = failed or not is_right
        lines.append(line)
    print("\n".join(["", *lines]))
    if failed or arguments.keep:
        print(f"soak-hosts: seed {arguments.seed}; records and logs are in {folder}")
    else:
        shutil.rmtree(folder)
    sys.exit(failed)


def what_is_missing():
    """Why nothing can be tried here, if so."""
    programs = os.environ.get("DIFFABLED_BINARIES") or REPOSITORY / ".build/release"
    connectors = os.environ.get("HOSTS_BINARIES") or REPOSITORY / "Hosts/.build/release"
    if os.geteuid() != 0:
        return "network namespaces are made as root"
    for program in ("etcd", "etcdctl", "ip", "nft"):
        if shutil.which(program, path=os.environ["PATH"] + ":/usr/sbin:/sbin") is None:
            return f"there is no {program}"
    if subprocess.run(["unshare", "--net", "true"], check=False, stderr=subprocess.DEVNULL).returncode != 0:
        return "no network namespace can be made here"
    for program in (Path(programs) / "diffabled", Path(connectors) / "diffabled-etcd"):
        if not program.exists():
            raise SystemExit(f"soak-hosts: there is no {program}: make programs hosts")
    return None


def carry_out(name, arguments, folder):
    """A line of the report, and whether all was right."""
    trial = Trial(faults.ALL[name](), arguments.seed, arguments.seconds, folder)
    begin = time.monotonic()
    violations = trial.run()
    took = f"{time.monotonic() - begin:.0f} s"
    print(f"{name}: {'; '.join(trial.notes)}; {took}", flush=True)
    show(name, violations)
    if not violations and not arguments.keep:
        shutil.rmtree(folder)
    verdict = f"{len(violations)} VIOLATIONS" if violations else "every promise was kept"
    return f"{name:12} {trial.fault.summary}: {verdict} ({took})", not violations


def show(name, violations):
    # The first of each sort come first: one mistake may break many promises.
    counts = defaultdict(int)
    places = []
    for kind, _ in violations:
        places.append(counts[kind])
        counts[kind] += 1
    for _, (kind, sentence) in sorted(zip(places, violations), key=lambda found: found[0])[:VIOLATIONS_SHOWN]:
        print(f"{name}: {kind}: {sentence}", flush=True)
    if len(violations) > VIOLATIONS_SHOWN:
        print(f"{name}: and {len(violations) - VIOLATIONS_SHOWN} more", flush=True)
    return bool(violations)


if __name__ == "__main__":
    main()
