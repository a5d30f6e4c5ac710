"""A daemon, diffable-web and Chromium for the tests of the web part. `WebTest` is the test case that has all three.

    class MyTests(WebTest):
        def test_something(self):
            name = self.publish([{"id": "milk", "text": "Milk"}])
            page = self.open(name)
            self.wait_for(lambda: self.texts(page) == ["Milk"])

Each is started once for all tests, in a temporary directory; each test has lists and a browser context of its own. A test
fails if the page logs a warning or an error, or breaks its content security policy.
"""

from __future__ import annotations

import atexit
import faulthandler
import http.client
import itertools
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path
from typing import Any, Callable
from urllib.parse import quote, urlencode

from diffable import Client
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Error, Page, Playwright, sync_playwright

REPOSITORY = Path(__file__).resolve().parents[2]
BINARIES = Path(os.environ.get("DIFFABLED_BINARIES") or REPOSITORY / ".build/debug").resolve()
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
SEED = int(os.environ.get("SEED") or random.SystemRandom().getrandbits(32))
PROBE = (Path(__file__).resolve().parent / "probe.js").read_text()
NOTE_VIOLATIONS = """addEventListener('securitypolicyviolation',
    e => console.error('content security policy', e.violatedDirective, e.blockedURI, e.sourceFile, e.lineNumber))"""
SIZE = {"width": 800, "height": 600}
#: Seconds to wait for something that happens at once on a quiet machine.
PATIENCE = float(os.environ.get("PATIENCE") or 60)
#: Seconds after which a test ends the whole run. The random models of `make soak-web` take longer.
TIME_MAX = 240 + int(os.environ.get("STEPS") or 0)

# Pictures are drawn with these fonts only, whichever others a machine has.
FONTS = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>/usr/share/fonts/truetype/liberation</dir>
  <dir>/usr/share/fonts/truetype/dejavu</dir>
  <cachedir>CACHE</cachedir>
  <selectfont>
    <rejectfont><glob>/usr/*</glob></rejectfont>
    <acceptfont><glob>/usr/share/fonts/truetype/liberation/LiberationSans-*</glob></acceptfont>
    <acceptfont><glob>/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf</glob></acceptfont>
    <acceptfont><glob>/usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf</glob></acceptfont>
  </selectfont>
  <alias><family>system-ui</family><prefer><family>Liberation Sans</family></prefer></alias>
  <alias><family>sans-serif</family><prefer><family>Liberation Sans</family><family>DejaVu Sans</family></prefer></alias>
</fontconfig>
"""


def eventually(is_so: Callable[[], Any], what: str = "", seconds: float = PATIENCE) -> Any:
    """Waits until `is_so` returns something true, and returns it."""
    deadline = time.monotonic() + seconds
    while True:
        found = is_so()
        if found:
            return found
        if time.monotonic() > deadline:
            raise AssertionError(f"{what or 'it'} was not so within {seconds:g} s; the last value was {found!r}")
        time.sleep(0.02)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Program:
    """A program that can be killed and started again."""

    _running: set[Program] = set()

    def __init__(self, directory: Path, *command: str, environment: dict[str, str] | None = None) -> None:
        self.directory = directory
        self._command = command
        self._environment = environment
        self._log = directory / f"{Path(command[0]).name}.log"
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        assert self._process is not None, f"{self._command[0]} is not running"
        return self._process.pid

    def run(self) -> None:
        if not Path(self._command[0]).exists():
            raise AssertionError(f"there is no {self._command[0]}: build it, or set DIFFABLED_BINARIES")
        with open(self._log, "ab") as log:
            self._process = subprocess.Popen(self._command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self._environment)
        self._running.add(self)

    @classmethod
    def end_all(cls, test: str) -> None:
        """Ends all programs and this run, because a test takes too long."""
        print(f"{test} took more than {TIME_MAX} s", file=sys.stderr)
        faulthandler.dump_traceback(all_threads=True)
        for program in cls._running:
            if program._process is not None:
                program._process.kill()
        # Chromium ends with its pipe.
        os._exit(1)

    def kill(self, how: int = signal.SIGKILL) -> None:
        self._running.discard(self)
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(PATIENCE)
            self._process = None

    def has_ended(self) -> bool:
        return self._process is None or self._process.poll() is not None

    def log(self) -> str:
        return self._log.read_text(errors="replace") if self._log.exists() else ""


class Daemon(Program):
    """`diffabled` with a temporary directory."""

    def __init__(self, *options: str) -> None:
        directory = Path(tempfile.mkdtemp(prefix="web-"))
        self.socket = str(directory / "socket")
        super().__init__(
            directory, str(BINARIES / "diffabled"), "--socket", self.socket, "--state-directory", str(directory / "state"),
            *options)
        self.start()

    def start(self) -> None:
        self.run()
        eventually(self._answers, f"the daemon answers: {self.log()}")

    def _answers(self) -> bool:
        with socket.socket(socket.AF_UNIX) as probe:
            return probe.connect_ex(self.socket) == 0

    def ctl(self, *arguments: str, stdin: str | bytes | None = None) -> str:
        """The output of diffablectl."""
        data = stdin.encode() if isinstance(stdin, str) else stdin
        return subprocess.run(
            [BINARIES / "diffablectl", *arguments], input=data, check=True, stdout=subprocess.PIPE,
            env={**os.environ, "DIFFABLED_SOCKET": self.socket}, timeout=300).stdout.decode()

    def close(self) -> None:
        self.kill()
        shutil.rmtree(self.directory, ignore_errors=True)


class Web(Program):
    """`diffable-web` in front of a daemon."""

    def __init__(self, daemon: Daemon, *options: str, listen: str | None = None) -> None:
        directory = Path(tempfile.mkdtemp(prefix="web-"))
        self.port = free_port()
        self.host = f"127.0.0.1:{self.port}"
        self.url = f"http://{self.host}"
        self.state = directory / "state"
        self.state.mkdir(mode=0o700)
        self._binary = str(BINARIES / "diffable-web")
        self._tokens: dict[tuple[tuple[str, ...], str], str] = {}
        self._names = itertools.count(1)
        super().__init__(
            directory, self._binary, "serve", "--listen", listen or self.host, "--socket", daemon.socket,
            "--state-directory", str(self.state), *options)
        self._is_local = listen is not None
        self.start()

    def start(self) -> None:
        self.run()
        if not self._is_local:
            eventually(lambda: self.has_ended() or self.health() == 200, "diffable-web answers")
            if self.has_ended():
                raise AssertionError(f"diffable-web has ended: {self.log()}")

    def health(self) -> int:
        """The status of /health; 0 if nothing answers."""
        try:
            return self.get("/health")[0]
        except OSError:
            return 0

    def get(self, path: str, method: str = "GET", **headers: str) -> tuple[int, dict[str, str], bytes]:
        """The status, headers (lower case) and body of a response. `Authorization="Bearer …"` sends that header."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request(method, path, headers={name.replace("_", "-"): value for name, value in headers.items()})
            response = connection.getresponse()
            return response.status, {name.lower(): value for name, value in response.getheaders()}, response.read()
        finally:
            connection.close()

    def link(self, *lists: str, may: str = "change", name: str | None = None) -> str:
        """A token for these lists, or for all."""
        key = (lists, may)
        if name is not None or key not in self._tokens:
            patterns = [word for pattern in lists or ("*",) for word in ("--lists", pattern)]
            said = self.command("link", name or f"test-{next(self._names)}", "--may", may, *patterns)
            token = said.split("#token=", 1)[1].split()[0]
            if name is not None:
                return token
            self._tokens[key] = token
        return self._tokens[key]

    def command(self, *arguments: str) -> str:
        """The output of a command of diffable-web, such as `links`."""
        ran = subprocess.run(
            [self._binary, *arguments, "--state-directory", str(self.state)], capture_output=True, text=True, timeout=PATIENCE)
        if ran.returncode != 0:
            raise AssertionError(f"diffable-web {' '.join(arguments)}: {ran.stderr}")
        return ran.stdout

    def close(self) -> None:
        self.kill()
        shutil.rmtree(self.directory, ignore_errors=True)


class Stage:
    """All three, started when first needed and stopped when Python ends."""

    _shared: Stage | None = None

    def __init__(self) -> None:
        atexit.register(self.close)
        self._directory = Path(tempfile.mkdtemp(prefix="web-"))
        self.fonts = self._directory / "fonts.conf"
        self.fonts.write_text(FONTS.replace("CACHE", str(self._directory / "cache")))
        self.pages = self._directory / "pages"
        self.pages.mkdir()
        self.daemon = Daemon()
        self.web = Web(self.daemon, "--pages", str(self.pages))
        self._playwright: Playwright = sync_playwright().start()
        self.browser: Browser = self._playwright.chromium.launch(
            executable_path=CHROMIUM, args=[
                *(["--no-sandbox"] if os.getuid() == 0 else []), "--font-render-hinting=none", "--disable-lcd-text",
                "--force-color-profile=srgb", "--enable-precise-memory-info", "--js-flags=--expose-gc"],
            env={**os.environ, "FONTCONFIG_FILE": str(self.fonts)})
        self.client = Client(self.daemon.socket, name="test")

    @classmethod
    def shared(cls) -> Stage:
        if cls._shared is None:
            cls._shared = Stage()
        return cls._shared

    def close(self) -> None:
        # What did not start is not there.
        for name, stop in (("browser", "close"), ("_playwright", "stop"), ("web", "close"), ("daemon", "close")):
            part = getattr(self, name, None)
            if part is not None:
                getattr(part, stop)()
        shutil.rmtree(self._directory, ignore_errors=True)


class WebTest(unittest.TestCase):
    """A test of pages in Chromium."""

    maxDiff = None

    #: Parts of console messages that a test expects, such as "ERR_CONNECTION_REFUSED" when it kills a server.
    expected_messages: tuple[str, ...] = ()
    _names = itertools.count(1)

    def setUp(self) -> None:
        # A page may never answer.
        limit = threading.Timer(TIME_MAX, Program.end_all, [self.id()])
        limit.daemon = True
        limit.start()
        self.addCleanup(limit.cancel)
        self.stage = Stage.shared()
        self.daemon, self.web, self.client = self.stage.daemon, self.stage.web, self.stage.client
        self.messages: list[str] = []
        self.addCleanup(self._check_messages)

    def context(self, **options: Any) -> BrowserContext:
        """A browser context that has its own storage and whose messages are recorded."""
        context = self.stage.browser.new_context(**{"viewport": SIZE, "reduced_motion": "reduce", **options})
        self.addCleanup(context.close)
        context.add_init_script(PROBE)
        context.add_init_script(NOTE_VIOLATIONS)
        context.on("console", self._note)
        context.on("weberror", lambda error: self.messages.append(f"exception: {error.error}"))
        return context

    def _note(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning", "assert"):
            self.messages.append(f"{message.type}: {message.text} ({message.location.get('url', '')})")

    def _check_messages(self) -> None:
        unexpected = [text for text in self.messages if not any(part in text for part in self.expected_messages)]
        self.assertEqual(unexpected, [], "messages on the console of the page")

    # Lists

    def new_name(self) -> str:
        return f"{self._testMethodName.removeprefix('test_')[:40]}-{next(self._names)}"

    def publish(self, content: Any, name: str | None = None, **options: Any) -> str:
        """Publishes a list (rows, or a dict with sections), and returns its name."""
        name = name or self.new_name()
        self.client.publish(name, content, **options)
        return name

    def long_list(self, rows: int) -> str:
        """A list of this many rows, `r0`, `r1`, …, that tests share and do not change."""
        name = f"rows-{rows}"
        if name not in [known.list for known in self.client.lists()]:
            lines = "".join(f'{{"id":"r{n}","text":"Row {n}"}}\n' for n in range(rows))
            self.daemon.ctl("create", name, "--volatile")
            self.daemon.ctl("apply", name, "-q", "--from", "ndjson", "-", stdin=lines)
        return name

    def patch(self, name: str, item: str, **content: Any) -> None:
        self.client.transact(name, [{"op": "patchItems", "items": [{"id": item, "content": content}]}])

    def order(self, name: str) -> list[str]:
        """The ids of the list's items, with their children, in the daemon."""
        return [item.id for _, item in self.client.snapshot(name).state.rows()]

    # Pages

    def address(self, *lists: str, token: str | None = None, flags: tuple[str, ...] = (), **query: str) -> str:
        """The address of the page that shows these lists."""
        terms = [urlencode([*(("list", name) for name in lists), *query.items()], quote_via=quote), *flags]
        return f"{self.web.url}/?{'&'.join(term for term in terms if term)}#token={token or self.web.link()}"

    def open(self, *lists: str, context: BrowserContext | None = None, **options: Any) -> Page:
        """A page that shows these lists, when they are there."""
        page = (context or self.context()).new_page()
        page.goto(self.address(*lists, **options))
        self.wait_until_live(page, len(lists))
        # Keys that act on a row do nothing at first, because the row has just appeared there.
        self.at_rest(page)
        return page

    def wait_until_live(self, page: Page, lists: int = 1) -> None:
        def is_live() -> bool:
            try:
                return page.evaluate(
                    "n => { const all = [...document.querySelectorAll('diffable-list')];"
                    " return all.length >= n && all.slice(0, n).every(e => e.following?.live) }", lists)
            except Error as error:
                # The page is just being loaded again, as it does for a new token.
                if "context was destroyed" not in error.message:
                    raise
                return False

        eventually(is_live, "the list is live")

    def own_page(self, name: str, html: str, token: str | None = None) -> str:
        """Puts a page of the test into --pages, and returns its address."""
        (self.stage.pages / name).write_text(html)
        return f"{self.web.url}/pages/{name}#token={token or self.web.link()}"

    def rows(self, page: Page) -> list[dict[str, Any]]:
        """The rows and headers in the document, from top to bottom, as `probe.rows` of probe.js describes them."""
        return page.evaluate("probe.rows()")

    def texts(self, page: Page) -> list[str]:
        """The texts of the rows on the screen, without headers."""
        return [row["text"] for row in self.rows(page) if row["isVisible"] and not row["isHeader"]]

    def cursor(self, page: Page) -> str | None:
        """The id of the item under the cursor."""
        return page.evaluate("probe.list.cursor")

    def marked(self, page: Page) -> list[str]:
        return page.evaluate("[...probe.list.marked]")

    def press(self, page: Page, *keys: str) -> None:
        page.evaluate("probe.list.focus()")
        for key in keys:
            page.keyboard.press(key)

    def wait_for(self, is_so: Callable[[], Any], what: str = "") -> Any:
        return eventually(is_so, what)

    def at_rest(self, page: Page) -> None:
        """Waits until the DOM has not changed for 250 ms: sliding rows have arrived, and the DOM has the rows' order."""
        page.evaluate(AT_REST)


AT_REST = """() => new Promise(resolve => {
    const observers = [];
    let timer = setTimeout(end, 250);
    function end() {
        for (const observer of observers) observer.disconnect();
        requestAnimationFrame(() => requestAnimationFrame(resolve));
    }
    const again = () => { clearTimeout(timer); timer = setTimeout(end, 250) };
    for (const root of [document, ...[...document.querySelectorAll('diffable-list')].map(e => e.shadowRoot).filter(Boolean)]) {
        const observer = new MutationObserver(again);
        observer.observe(root, {subtree: true, childList: true, attributes: true, characterData: true});
        observers.push(observer);
    }
})"""
