"""Shows when each host had which revision, next to the interventions, to help analyze a run.

    python3 -B Hosts/soak/timeline.py RECORDS [SECONDS]
"""

import sys

from records import read


def main():
    step = float(sys.argv[2]) if len(sys.argv) > 2 else 0.5
    lines, shown = [], {}
    for record in read(sys.argv[1]):
        if record["type"] == "event":
            lines.append((record["time"], None, record["what"]))
        elif record["type"] == "batch":
            lines.append((record["time"], "batch", record["batch"]))
        elif record["type"] == "request" and record["method"] == "snapshot" and "result" in record:
            lines.append((record["end"], record["host"], record["result"]["revision"]))
    due = 0
    for time, who, what in sorted(lines, key=lambda line: line[0]):
        if who is None:
            print(f"{time:7.2f} {what}")
            continue
        shown[who] = what
        if time >= due:
            print(f"{time:7.2f}   revision {', '.join(f'{shown.get(host)} on {host}' for host in (1, 2, 3))}; "
                  f"batch {shown.get('batch')} in the log")
            due = time + step


if __name__ == "__main__":
    main()
