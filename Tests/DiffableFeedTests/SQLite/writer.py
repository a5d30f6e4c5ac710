"""Commits to an SQLite database as another program does, and never waits for a lock: if one is held, it fails.

writer.py PATH MODE COUNT SEED PAUSE: COUNT transactions in a journal mode, PAUSE milliseconds apart at most. Each moves an amount
from one row to another, so that the sum is zero in every state. Prints the rows as they are at the end.
"""

import json
import random
import sqlite3
import sys
import time

path, mode, count, seed, pause = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), float(sys.argv[5])
random = random.Random(seed)
database = sqlite3.connect(path, timeout=0, isolation_level=None)
database.execute(f"PRAGMA journal_mode={mode}")
database.execute("PRAGMA synchronous=OFF")
database.execute("PRAGMA cache_size=5")
database.execute("CREATE TABLE IF NOT EXISTS t(id INTEGER PRIMARY KEY, n INTEGER, filler TEXT)")
database.execute("BEGIN")
for number in range(100):
    database.execute("INSERT OR IGNORE INTO t VALUES (?, 0, ?)", (number, "x" * 200))
database.execute("COMMIT")
for number in range(count):
    database.execute("BEGIN IMMEDIATE")
    rows = random.sample(range(100), random.choice([1, 1, 1, 40]))
    for row in rows:
        database.execute("UPDATE t SET n = n + 1, filler = ? WHERE id = ?", ("y" * random.randrange(400), row))
        database.execute("UPDATE t SET n = n - 1 WHERE id = ?", ((row + 1) % 100,))
    database.execute("ROLLBACK" if random.random() < 0.1 else "COMMIT")
    chance = random.random()
    if chance < 0.02:
        database.execute("VACUUM")
    elif chance < 0.05 and mode == "wal":
        database.execute(f"PRAGMA wal_checkpoint({random.choice(['PASSIVE', 'FULL', 'RESTART', 'TRUNCATE'])})")
    elif chance < 0.06:
        # As a program that ends and is started again.
        database.close()
        database = sqlite3.connect(path, timeout=0, isolation_level=None)
    time.sleep(random.random() * pause / 1000)
print(json.dumps(dict(database.execute("SELECT id, n FROM t").fetchall())))
