#!/usr/bin/env python3
"""A stream of states for a feed: what an HTTP endpoint says, asked by its ETag.

    - list: issues
      command: [http_feed.py, "https://example.org/issues.json", --every, "60"]
      stream: states
      allowEmpty: true

The answer is JSON: an array of objects, or what --rows names in an object. A line is written when it has changed. An error ends the
program: the list stays as it is, and the feed starts it again.
"""

import argparse
import json
import sys
import time
import urllib.error
import urllib.request
from typing import Dict


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("url")
    parser.add_argument("--every", type=float, default=60, help="seconds between two questions")
    parser.add_argument("--rows", help="the member of an object that has the rows")
    arguments = parser.parse_args()
    headers: Dict[str, str] = {}
    last = None
    while True:
        try:
            request = urllib.request.Request(arguments.url, headers=headers)
            with urllib.request.urlopen(request, timeout=30) as answer:
                rows = json.load(answer)
                # What the server takes for "still the same".
                headers = {
                    theirs: answer.headers[ours]
                    for theirs, ours in (("If-None-Match", "ETag"), ("If-Modified-Since", "Last-Modified"))
                    if answer.headers[ours]
                }
            line = json.dumps(rows[arguments.rows] if arguments.rows else rows, ensure_ascii=False)
            if line != last:
                print(line, flush=True)
                last = line
        except urllib.error.HTTPError as error:
            if error.code != 304:
                sys.exit(f"{arguments.url}: {error}")
        except (OSError, ValueError, KeyError, TypeError) as error:
            sys.exit(f"{arguments.url}: {error}")
        time.sleep(arguments.every)


try:
    main()
except KeyboardInterrupt:
    pass
