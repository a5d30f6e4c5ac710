"""Has `mypy --strict` check every Python example: the programs of docs/python.md and examples/*.py, each by itself."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from .support import REPOSITORY
from .test_page import blocks


def main() -> int:
    with tempfile.TemporaryDirectory() as directory:
        programs = sorted((REPOSITORY / "examples").glob("*.py"))
        for name, text in blocks("python").items():
            programs.append(Path(directory, f"page_{name}.py"))
            programs[-1].write_text(text)
        # Each separately, as a user would check it.
        checks = [
            subprocess.run(
                ["mypy", "--strict", "--no-error-summary", program], cwd=directory,
                env={**os.environ, "MYPYPATH": str(REPOSITORY / "clients/python/src")})
            for program in programs
        ]
    return max(check.returncode for check in checks)


if __name__ == "__main__":
    sys.exit(main())
