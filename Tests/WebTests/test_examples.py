"""The examples of docs/web.md and their pictures, which `scripts/test-web --draw ExampleTests` takes."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from drawings import check_picture
from fixture import BINARIES, REPOSITORY, WebTest
from playwright.sync_api import Page

EXAMPLES = REPOSITORY / "examples/web"
RUNS = [
    (941, "Test", "Windows hold their place", "main", "in_progress", ""),
    (940, "Lint", "Windows hold their place", "main", "queued", ""),
    (939, "Test", "Keep the cursor on its row", "cursor", "completed", "failure"),
    (938, "Test", "Read tokens in constant time", "main", "completed", "success"),
    (937, "Lint", "Read tokens in constant time", "main", "completed", "success"),
    (936, "Docs", "Describe the kiosk", "docs", "completed", "success"),
    (935, "Test", "Describe the kiosk", "docs", "completed", "success"),
    (934, "Nightly", "Nightly run", "main", "completed", "success"),
    (933, "Test", "Slide rows that move", "main", "completed", "success")]


class ExampleTests(WebTest):
    def setUp(self) -> None:
        super().setUp()
        self.bin = Path(tempfile.mkdtemp(prefix="web-"))
        self.addCleanup(shutil.rmtree, self.bin)
        self.environment = {
            **os.environ, "PATH": f"{self.bin}:{BINARIES}:{os.environ['PATH']}", "DIFFABLED_SOCKET": self.daemon.socket}

    def program(self, name: str, text: str) -> None:
        (self.bin / name).write_text(text)
        (self.bin / name).chmod(0o755)

    def feed(self, name: str, **environment: str) -> None:
        """Runs the example once, as the feed that its comment describes."""
        self.assertIn(f"diffable-feed {name} --every", (EXAMPLES / name).read_text())
        subprocess.run(
            ["diffable-feed", name, "--volatile", EXAMPLES / name], check=True,
            env={**self.environment, **environment}, timeout=60, capture_output=True)

    def check_look(self, page: Page, name: str) -> None:
        self.at_rest(page)
        self.assertIsNone(check_picture(page, name, EXAMPLES / f"{name}.png"))
        self.assertLess((EXAMPLES / f"{name}.png").stat().st_size, 60 * 1024)

    def test_departures(self) -> None:
        self.feed("departures", NOW="14:00")
        page = self.open("departures", flags=("kiosk",), theme="dark", scale="1.25")
        self.wait_for(lambda: len(self.texts(page)) == 12, "twelve departures")
        self.assertIn("platform 8", [row for row in self.rows(page) if "ICE 77" in row["all"]][0]["all"])
        self.check_look(page, "departures")
        # After the last departure of the day, the timetable begins again.
        self.feed("departures", NOW="23:53")
        self.wait_for(lambda: "05:32" in self.rows(page)[0]["all"], "the first departure of the next day")

    def test_jobs(self) -> None:
        names = ("databaseId", "workflowName", "displayTitle", "headBranch", "status", "conclusion")
        runs = [dict(zip(names, run)) for run in RUNS]
        self.program("gh", f"#!/bin/sh\ncat <<'END'\n{json.dumps(runs)}\nEND\n")
        self.feed("jobs")
        page = self.open("jobs", theme="light")
        self.assertEqual([row["text"] for row in self.rows(page) if row["isHeader"]], ["Failed", "Running", "Passed"])
        self.assertEqual(self.texts(page)[0], "Keep the cursor on its row")
        self.check_look(page, "jobs")
        # When gh fails, the list stays.
        self.program("gh", "#!/bin/sh\necho 'no network' >&2\nexit 1\n")
        with self.assertRaises(subprocess.CalledProcessError):
            self.feed("jobs")
        self.assertEqual(len(self.order("jobs")), len(RUNS))

    def start_todo(self) -> str:
        """Runs the example, and returns the token of the link that it prints."""
        if "todo" in [known.name for known in self.client.lists()]:
            self.client.delete("todo")
            self.web.command("unlink", "todo")
        # The command takes its state directory from an option only.
        self.program("diffable-web", f'#!/bin/sh\nexec {BINARIES}/diffable-web "$@" --state-directory {self.web.state}\n')
        ran = subprocess.run([EXAMPLES / "todo"], check=True, env=self.environment, capture_output=True, text=True, timeout=60)
        found = re.search(r"#token=(\S+)", ran.stdout)
        assert found is not None, ran.stdout
        return found[1]

    def test_todo(self) -> None:
        page = self.open("todo", token=self.start_todo(), theme="light")
        self.check_look(page, "todo")

    def test_two_browsers_and_a_terminal_drag_at_the_same_time(self) -> None:
        token = self.start_todo()
        pages = [self.open("todo", token=token) for _ in range(2)]
        tmux = shutil.which("tmux")
        if tmux is None:
            self.skipTest("tmux is not installed")

        def run(*words: str) -> str:
            command = [tmux, "-u", "-S", str(self.bin / "tmux"), "-f", "/dev/null", *words]
            return subprocess.run(command, check=True, env=self.environment, capture_output=True, text=True).stdout

        run("new-session", "-d", "-x", "80", "-y", "24", "diffablectl view todo")
        self.addCleanup(run, "kill-server")
        self.wait_for(lambda: "Buy oat milk" in run("capture-pane", "-p"), "the terminal shows the list")

        def order() -> list[str]:
            return [item["content"]["text"] for section in self.client.snapshot("todo").state.to_dict()["sections"]
                    for item in section.get("items", [])]

        def middle(page: Page, text: str) -> tuple[float, float]:
            row = next(row for row in self.rows(page) if row["text"] == text)
            return row["x"] + row["width"] / 2, row["y"] + row["height"] / 2

        first = order()
        # The two browsers hold a row each while the terminal moves a third one.
        for page, text in zip(pages, ("Buy oat milk", "Bake bread")):
            page.mouse.move(*middle(page, text))
            page.mouse.down()
            x, y = middle(page, "Taxes")
            page.mouse.move(x, y + 4, steps=8)
        run("send-keys", "Down", "Down", "Down", "M-Down")
        for page in pages:
            page.mouse.up()
        self.wait_for(lambda: order() != first, "the list has changed")
        self.assertEqual(sorted(order()), sorted(first))

        def all_equal() -> Any:
            now = order()
            screen = [line for line in run("capture-pane", "-p").splitlines()]
            lines = [next((number for number, line in enumerate(screen) if text in line), -1) for text in now]
            return -1 not in lines and lines == sorted(lines) and all(self.texts(page) == now for page in pages)

        self.wait_for(all_equal, "two browsers and the terminal show the same order")


class PageTests(WebTest):
    """The page that docs/web.md shows."""

    def test_a_page_of_ones_own(self) -> None:
        blocks = re.findall(r"^```html own-page\n(.*?)^```$", (REPOSITORY / "docs/web.md").read_text(), re.M | re.S)
        self.assertEqual(len(blocks), 1)
        self.publish(["milk", "bread"], name="todo-page")
        page = self.context().new_page()
        page.goto(self.own_page("own.html", blocks[0].replace('list="todo"', 'list="todo-page"')))
        self.wait_until_live(page)
        self.wait_for(lambda: self.texts(page) == ["milk", "bread"], "the rows")

    def test_the_commands_of_the_page(self) -> None:
        text = (REPOSITORY / "docs/web.md").read_text()
        block = re.search(r"^```sh\n(diffable-web link kitchen.*?)^```$", text, re.M | re.S)
        assert block is not None
        for line in block[1].splitlines():
            words = [word.strip("'") for word in line.split("#")[0].split()]
            said = self.web.command(*words[1:])
            if words[1] == "link":
                self.assertIn("#token=", said)
            if words[1] == "links":
                self.assertIn("kitchen", said)
                self.assertNotIn("token=", said)
        self.web.command("unlink", "kitchen")

    def test_scripts_read_a_list(self) -> None:
        text = (REPOSITORY / "docs/web.md").read_text()
        lines = re.findall(r"^curl .*$", text, re.M)
        self.assertEqual(len(lines), 2)
        name = self.publish(["milk"], name="todo-curl")
        environment = {**os.environ, "TOKEN": self.web.link(name)}

        def run(line: str) -> str:
            command = line.split(" #")[0].replace("http://127.0.0.1:8090", self.web.url).replace("/todo", f"/{name}")
            return subprocess.run(["timeout", "3", "sh", "-c", command], env=environment, capture_output=True, text=True).stdout

        self.assertIn('"milk"', run(lines[0]))
        self.assertIn("event: reset", run(lines[1]))

    def test_a_board_of_several_lists(self) -> None:
        names = [self.publish([text], name=f"board-{text}") for text in ("left", "right")]
        page = self.open(*names)
        shown = page.evaluate("[...document.querySelectorAll('diffable-list')].map(list => list.getAttribute('list'))")
        self.assertEqual(shown, names)
        boxes = page.evaluate("[...document.querySelectorAll('diffable-list')].map(list => list.getBoundingClientRect().x)")
        self.assertLess(boxes[0], boxes[1], "next to each other on a wide screen")

    def test_terms_of_the_address(self) -> None:
        name = self.publish([{"id": text, "text": text, "due": due} for text, due in (("bread", 3), ("milk", 1), ("breakfast", 2))])
        self.assertEqual(self.texts(self.open(name, search="brea", sort="-.due")), ["bread", "breakfast"])
        self.assertEqual(self.texts(self.open(name, where="due<3", sort=".due")), ["milk", "breakfast"])
        self.assertEqual(self.texts(self.open(name, view='{"sort":["/due"]}')), ["milk", "breakfast", "bread"])
        self.assertEqual([row["text"] for row in self.rows(self.open(name, look='{"header":"Food"}')) if row["isHeader"]], ["Food"])

    def test_kiosk_and_theme(self) -> None:
        name = self.publish(["milk"])
        page = self.open(name, flags=("kiosk",), theme="dark")
        self.wait_for(lambda: page.evaluate("getComputedStyle(document.elementFromPoint(400, 300)).cursor") == "none", "no pointer")
        dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
        light = self.open(name, theme="light").evaluate("getComputedStyle(document.body).backgroundColor")
        self.assertNotEqual(dark, light)

    def test_without_a_token_the_page_asks_for_one(self) -> None:
        self.expected_messages = ("401", "WebSocket connection to")
        name = self.publish(["milk"])
        page = self.context().new_page()
        page.goto(f"{self.web.url}/?list={name}")
        field = page.get_by_role("textbox").first
        field.fill(self.web.link())
        field.press("Enter")
        self.wait_until_live(page)
        self.assertEqual(self.texts(page), ["milk"])
