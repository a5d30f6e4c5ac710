"""Usage: connect_often.py COUNT SOCKET ...

Connects COUNT times to each socket with the package `diffable`. Prints how often a daemon answered, as JSON by socket.
"""

import json
import logging
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../../clients/python/src"))

from diffable import Client, DiffableError  # noqa: E402

logging.disable()


def answers(path: str) -> bool:
    try:
        with Client(path, patience=0, reply_timeout=20) as client:
            client.ping()
        return True
    except DiffableError:
        return False


print(json.dumps({path: sum(answers(path) for _ in range(int(sys.argv[1]))) for path in sys.argv[2:]}))
