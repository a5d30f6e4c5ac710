"""Follows a list with the package `diffable`, through all incarnations of a daemon, and prints the same as `follow.py`.

    python3 follow_by_package.py SOCKET LIFE LIST WRITERS PARAMETERS SEED

The package reconnects and resumes by itself. Its requests and the daemon's incarnation are recorded where it opens connections
and subscribes. It stops at times, and starts again without a state.
"""

import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "clients" / "python" / "src"))

from diffable import Client, ConnectionLost, DiffableError  # noqa: E402
from follow import current_life, digest, list_name, say, seed, socket, text, writers  # noqa: E402

random.seed(seed)
client = Client(socket)
connections = client._requests._connections
open_connection = connections.open
# The incarnation that the newest connection talks to.
life = 0


async def opened():
    """A connection of which it is known which life it is of."""
    global life
    before = current_life()
    if before == "finished":
        raise SystemExit
    connection = await open_connection()
    if not before.isdigit() or current_life() != before:
        connection.close()
        raise ConnectionLost(socket)
    life = int(before)
    ask = connection.ask

    async def asked(method, params):
        result = await ask(method, params)
        if method == "subscribe":
            say(life, since=params.get("since"), resumed=result.get("resumed"))
        return result

    connection.ask = asked
    return connection


def number(state, writer):
    name = f"writer {writer}"
    return state[name]["n"] if name in state else None


def follow():
    """Until it leaves. Whether it has seen the end."""
    updates_left = random.randint(1, 200)
    revision = None
    with client.follow(list_name) as updates:
        for update in updates:
            data = text(update.state.to_dict())
            cause = {"reason": update.cause} if update.is_reset else {"start": revision}
            numbers = [number(update.state, writer) for writer in range(int(writers))]
            revision = update.revision
            say(life, epoch=update.epoch, revision=revision, digest=digest(data), numbers=numbers, **cause)
            if "end" in update.state:
                return True
            updates_left -= 1
            if updates_left == 0:
                return False
    return False


connections.open = opened
has_ended = False
while not has_ended:
    try:
        has_ended = follow()
    except DiffableError as error:
        say(life, misfit=f"{type(error).__name__}: {error}")
