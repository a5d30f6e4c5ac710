"""Lists in a browser: Benchmarks/web.py, in the environment that scripts/test-web installs."""

import json
import os
import subprocess
import sys

from machine import REPOSITORY

PYTHON = REPOSITORY / ".build/web/bin/python"


def web(bench, round_number):
    if not PYTHON.exists():
        bench.missing.add("playwright")
        print("bench: playwright is not installed (scripts/test-web --set-up): the part web is left out", file=sys.stderr)
        return
    bench.patience.wait()
    run = subprocess.run(
        [PYTHON, "-B", REPOSITORY / "Benchmarks/web.py"], stdout=subprocess.PIPE, text=True, check=True,
        env={**os.environ, "DIFFABLED_BINARIES": str(REPOSITORY / ".build/release")})
    bench.record("web", round_number, True, server="diffabled", **json.loads(run.stdout))
