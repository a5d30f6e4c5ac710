#!/usr/bin/env python3
"""A program that answers for a list: an outline of directories whose rows appear when somebody expands them.

    files_bot.py DIRECTORY [LIST]

`expand` brings what is in a directory, `perform` with the action `size` says how long files are together, and what is proposed
is refused: files are not moved by moving rows.
"""

import os
import sys
from typing import List

from diffable import Client, ItemDict, Request


def rows(directory: str) -> List[ItemDict]:
    """What is in it, directories first. An id is a path."""
    entries = sorted(os.scandir(directory), key=lambda entry: (not entry.is_dir(follow_symlinks=False), entry.name))
    kinds = {True: "directory", False: "file"}
    return [
        {"id": entry.path, "kind": kinds[entry.is_dir(follow_symlinks=False)], "content": {"text": entry.name}}
        for entry in entries if entry.path.isprintable() and len(entry.path.encode()) <= 255
    ]


def answer(client: Client, name: str, request: Request) -> None:
    if request.kind == "expand" and request.item is not None:
        try:
            children = rows(request.item)
        except OSError as error:
            return request.refuse(f"{request.item}: {error.strerror}")
        client.transact(name, [{"op": "replaceChildren", "parent": request.item, "items": children}])
        return request.answer()
    if request.kind == "perform":
        try:
            return request.answer({"bytes": sum(os.path.getsize(path) for path in request.items)})
        except OSError as error:
            return request.refuse(f"{error.filename}: {error.strerror}")
    return request.refuse("files are not moved by moving rows")


def main(directory: str, name: str = "files") -> None:
    with Client(name="files_bot") as client:
        client.publish(name, {"content": {"title": directory}, "sections": [{"id": "main", "items": rows(directory)}]})
        for request in client.handle(name, ["expand", "perform", "propose"], actions=["size"]):
            answer(client, name, request)


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
