#!/usr/bin/env python3
"""Prints measures of the source that show how hard it is to maintain: lines, shared state, sleeps, errors compared as strings.

make measure-house
"""

import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DECLARATION = re.compile(
    r"    (?:@\w+ |package |private |fileprivate |internal |nonisolated |\w+\(set\) )*(?:var|let) \w+(.*)"
)


def sources(*folders: str, suffix: str = ".swift") -> list[Path]:
    """The tracked files, without generated ones and without the symbolic links by which Hosts shares modules."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", *folders],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    files = (
        ROOT / name
        for name in listed.split("\0")
        if name.endswith(suffix)
        and ".pb." not in name
        and ".grpc." not in name
        and "/Generated/" not in name
    )
    return [file for file in files if file.is_file() and not file.is_symlink()]


def lines(files: Iterable[Path]) -> int:
    return sum(len(file.read_text().splitlines()) for file in files)


def count(pattern: str, files: Iterable[Path]) -> int:
    return sum(len(re.findall(pattern, file.read_text())) for file in files)


def stored_variables(text: str, head: str) -> int:
    """The members of a type with storage. A computed property ends its line with a brace or has its body on it."""
    body = text[text.index(head) :]
    body = body[: body.index("\n}\n")]
    found = (DECLARATION.fullmatch(line) for line in body.splitlines())
    return sum(
        1 for match in found if match and not re.search(r"(?<!=) \{[^=]*$", match[1])
    )


def main() -> None:
    modules = {
        folder.name: lines(sources(f"Sources/{folder.name}"))
        for folder in (ROOT / "Sources").iterdir()
    }
    hosts = lines(sources("Hosts/Sources", "Hosts/Package.swift"))
    store = (ROOT / "Sources/DiffableStore/Store.swift").read_text()
    swift_tests = sources("Tests", "Hosts/Tests")
    python_tests = sources("Tests", "clients/python/tests", suffix=".py")
    rows = [
        ("Swift lines in Sources", sum(modules.values())),
        ("Swift lines of Hosts' own", hosts),
        (
            "stored variables of the actor Store",
            stored_variables(store, "package actor Store"),
        ),
        (
            "files that extend it",
            sum(
                1
                for file in sources("Sources")
                if re.search(r"^extension Store\b", file.read_text(), re.MULTILINE)
            ),
        ),
        (
            "errors compared by their names",
            count(
                r"refusal\.name (?:==|!=)|\.name == \"|contains\(refusal\.name\)",
                sources("Sources"),
            ),
        ),
        (
            "sleeps in tests",
            count(r"\b(?:u?sleep|Task\.sleep)\(", [*swift_tests, *python_tests]),
        ),
        ("Swift lines of tests", lines(swift_tests)),
    ]
    for name, value in rows:
        print(f"{value:8,}  {name}")
    print()
    for name, value in sorted(modules.items(), key=lambda module: -module[1]):
        if value:
            print(f"{value:8,}  {name}")


if __name__ == "__main__":
    main()
