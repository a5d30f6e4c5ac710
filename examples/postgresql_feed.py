#!/usr/bin/env python3
"""A stream of states for a feed: a query of PostgreSQL, asked again after each NOTIFY on a channel.

    - list: orders
      command: [postgresql_feed.py, orders_changed, "SELECT id, customer AS text, total FROM orders"]
      stream: states
      allowEmpty: true

libpq's variables say which database (PGHOST, PGDATABASE, PGUSER …), and a trigger says when:

    CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NOTIFY orders_changed; RETURN NULL; END $$;
    CREATE TRIGGER tell AFTER INSERT OR UPDATE OR DELETE ON orders EXECUTE FUNCTION tell();

It needs psycopg (python3-psycopg). A lost connection ends the program: the list stays as it is, and the feed starts it again.
"""

import json
import sys

import psycopg  # type: ignore[import-not-found,unused-ignore]
from psycopg import sql  # type: ignore[import-not-found,unused-ignore]


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    channel, query = sys.argv[1:]
    with psycopg.connect(autocommit=True) as connection:
        # First, so that nothing is missed between the first answer and the first notification.
        connection.execute(sql.SQL("LISTEN {}").format(sql.Identifier(channel)))
        while True:
            answer = connection.execute(query)
            names = [column.name for column in answer.description]
            rows = [dict(zip(names, row)) for row in answer]
            print(json.dumps(rows, ensure_ascii=False, default=str), flush=True)
            # Several that have come meanwhile are one reason.
            for _ in connection.notifies(stop_after=1):
                pass


try:
    main()
except psycopg.Error as error:
    sys.exit(f"PostgreSQL: {error}")
except KeyboardInterrupt:
    pass
