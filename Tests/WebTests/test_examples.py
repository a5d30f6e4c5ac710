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
        """Runs the example as the feed that its comment describes, until `feeds` says how that went."""
        line = re.search(rf"^# +(diffable-feed {name} --every .*)$", (EXAMPLES / name).read_text(), re.M)
        assert line is not None
        said = tempfile.TemporaryFile()
        self.addCleanup(said.close)
        running = subprocess.Popen(
            line[1].split(), env={**self.environment, **environment}, cwd=REPOSITORY, stdout=said, stderr=said)
        try:
            self.wait_for(lambda: running.poll() is not None or self.state_of(name) != "waiting", "the feed has run")
            said.seek(0)
            self.assertIsNone(running.poll(), said.read())
            self.last_state = self.state_of(name)
        finally:
            running.terminate()
            running.wait()

    def state_of(self, name: str) -> str:
        if "feeds" not in [known.list for known in self.client.lists()]:
            return "waiting"
        item = self.client.snapshot("feeds").state.get(name)
        return "waiting" if item is None else item["state"]

    def check_look(self, page: Page, name: str) -> None:
        self.at_rest(page)
        self.assertIsNone(check_picture(page, name, EXAMPLES / f"{name}.png"))
        self.assertLess((EXAMPLES / f"{name}.png").stat().st_size, 60 * 1024)

    def test_departures(self) -> None:
        self.feed("departures", NOW="14:00")
        page = self.open("departures", flags=("kiosk",), theme="dark", scale="1.1")
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
        self.feed("jobs")
        self.assertEqual(self.last_state, "failing")
        self.assertEqual(len(self.order("jobs")), len(RUNS))

    def start_todo(self) -> str:
        """Runs the example, and returns the token of the link that it prints."""
        if "todo" in [known.list for known in self.client.lists()]:
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


class DocumentTests(WebTest):
    """The commands and the page of docs/web.md."""

    # A page of one's own can have an icon.
    expected_messages = ("favicon.ico",)

    def block(self, language: str) -> str:
        found = re.findall(rf"^```{language}\n(.*?)^```$", (REPOSITORY / "docs/web.md").read_text(), re.M | re.S)
        self.assertEqual(len(found), 1, language)
        return found[0]

    def test_a_page_of_ones_own(self) -> None:
        name = self.publish(["milk", "bread"])
        (self.stage.pages / "tasks.css").write_text(self.block("css own-style"))
        page = self.context().new_page()
        page.goto(self.own_page("tasks.html", self.block("html own-page").replace('list="todo"', f'list="{name}"')))
        self.wait_until_live(page)
        self.wait_for(lambda: self.texts(page) == ["milk", "bread"], "the rows")
        self.assertEqual(page.evaluate("probe.list.getBoundingClientRect().height"), 360)

    def test_commands(self) -> None:
        block = re.search(r"^```sh\n(diffable-web link kitchen.*?)^```$", (REPOSITORY / "docs/web.md").read_text(), re.M | re.S)
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
        lines = re.findall(r"^curl .*$", (REPOSITORY / "docs/web.md").read_text(), re.M)
        self.assertEqual(len(lines), 2)
        name = self.publish(["milk"])
        environment = {**os.environ, "TOKEN": self.web.link(name)}

        def run(line: str, wanted: str) -> None:
            command = line.split(" #")[0].replace("http://127.0.0.1:8090", self.web.url).replace("/todo", f"/{name}")
            ran = subprocess.Popen(
                ["sh", "-c", f"exec {command}"], env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            assert ran.stdout is not None
            self.addCleanup(ran.stdout.close)
            self.addCleanup(ran.wait)
            self.addCleanup(ran.kill)
            said = b""
            while wanted.encode() not in said:
                line_of_it = ran.stdout.readline()
                self.assertTrue(line_of_it, f"{command} has ended without {wanted}: {said.decode()}")
                said += line_of_it

        run(lines[0], '"milk"')
        run(lines[1], "event: reset")
