"""Firefox ESR by WebDriver BiDi, and WebKitGTK by W3C WebDriver. Tests use each as a context and as the page of playwright:
`new_page`, `goto`, `evaluate`, `keyboard`, `mouse.wheel`, `screenshot`. A browser has one page, and ends with Python."""

from __future__ import annotations

import atexit
import base64
import contextlib
import http.client
import json
import os
import re
import shutil
import signal
import tempfile
from pathlib import Path
from typing import Any

from fixture import NOTE_VIOLATIONS, PROBE, SIZE, Program, Stage, eventually, free_port
from sockets import WebSocket

#: The characters that both protocols have for keys.
KEYS = {"Shift": "\ue008", "Alt": "\ue00a", "Enter": "\ue007", "Escape": "\ue00c", "Space": " ",
        "PageDown": "\ue00f", "End": "\ue010", "Home": "\ue011",
        "ArrowLeft": "\ue012", "ArrowUp": "\ue013", "ArrowRight": "\ue014", "ArrowDown": "\ue015"}


class Browser:
    def __init__(self) -> None:
        fonts = Stage.shared().fonts.read_text()
        self.ends = contextlib.ExitStack()
        atexit.register(self.ends.close)
        self.directory = Path(tempfile.mkdtemp(prefix="web-"))
        self.ends.callback(shutil.rmtree, self.directory, ignore_errors=True)
        # Chromium's system-ui is DejaVu Sans. The others get no other font.
        (self.directory / "fonts.conf").write_text(fonts.replace("LiberationSans-*", "none"))
        self.environment = {**os.environ, "FONTCONFIG_FILE": str(self.directory / "fonts.conf"), "HOME": str(self.directory),
                            "XDG_CONFIG_HOME": str(self.directory)}
        self.messages: list[str] = []
        self.keyboard = self.mouse = self
        self.pointer = {"x": 0, "y": 0}

    def run(self, *command: str) -> Program:
        program = Program(self.directory, shutil.which(command[0]) or command[0], *command[1:], environment=self.environment)
        program.run()
        self.ends.callback(program.kill, signal.SIGTERM)
        return program

    def new_page(self) -> Browser:
        return self

    def goto(self, url: str) -> None:
        raise NotImplementedError

    def call(self, function: str) -> str:
        """The text that an asynchronous function of JavaScript returns."""
        raise NotImplementedError

    def perform(self, actions: list[dict[str, Any]]) -> None:
        raise NotImplementedError

    def screenshot(self) -> bytes:
        raise NotImplementedError

    def evaluate(self, expression: str, argument: Any = None) -> Any:
        """The value of an expression or, if that is a function, its result."""
        return json.loads(self.call(f"""async () => {{
            let value = ({expression});
            if (typeof value === 'function') value = value({json.dumps(argument)});
            return JSON.stringify(await value, (_, member) => member === undefined ? null : member);
        }}"""))

    def press(self, key: str) -> None:
        keys = [KEYS.get(part, part) for part in re.split(r"(?<=.)\+", key)]
        actions = [("keyDown", value) for value in keys] + [("keyUp", value) for value in reversed(keys)]
        self.perform([{"type": "key", "id": "keys", "actions": [{"type": kind, "value": value} for kind, value in actions]}])

    def type(self, text: str) -> None:
        for character in text:
            self.press(character)

    def move(self, x: int, y: int) -> None:
        self.pointer = {"x": x, "y": y}

    def wheel(self, x: int, y: int) -> None:
        self.perform([{"type": "wheel", "id": "wheel", "actions": [
            {"type": "scroll", **self.pointer, "deltaX": x, "deltaY": y, "duration": 0, "origin": "viewport"}]}])


class Firefox(Browser):
    #: Nothing outside of this machine is asked for.
    PREFERENCES = {"network.proxy.type": 1, "network.proxy.http": "127.0.0.1", "network.proxy.http_port": 9, "network.proxy.ssl":
                   "127.0.0.1", "network.proxy.ssl_port": 9, "ui.prefersReducedMotion": 1}

    def __init__(self) -> None:
        super().__init__()
        lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in self.PREFERENCES.items()]
        (self.directory / "user.js").write_text("".join(lines))
        port = free_port()
        firefox = self.run(
            "firefox-esr", "--headless", "--no-remote", "--profile", str(self.directory), f"--remote-debugging-port={port}")
        eventually(lambda: firefox.has_ended() or f":{port}" in firefox.log(), "Firefox listens")
        self.socket = WebSocket(port, path="/session")
        # A test that waits too long ends the run, rather than to start another Firefox.
        self.socket.socket.settimeout(None)
        self.ends.callback(self.socket.close)
        self.ask("session.new", capabilities={})
        self.ask("session.subscribe", events=["log.entryAdded"])
        # The first window never has the focus, without which rows are drawn in another way.
        self.tab = self.ask("browsingContext.create", type="window")["context"]
        self.ask("browsingContext.activate", context=self.tab)
        self.ask("script.addPreloadScript", functionDeclaration=f"() => {{ {PROBE}; {NOTE_VIOLATIONS} }}")
        self.ask("browsingContext.setViewport", context=self.tab, viewport=SIZE)

    def ask(self, method: str, **parameters: Any) -> Any:
        self.socket.send(method, **parameters)
        while (message := self.socket.receive())["type"] == "event":
            entry = message["params"]
            if entry["level"] in ("error", "warn"):
                self.messages.append(f'{entry["level"]}: {entry["text"]}')
        if message["type"] == "error":
            raise RuntimeError(f'{method}: {message["error"]}: {message["message"]}')
        return message["result"]

    def goto(self, url: str) -> None:
        self.ask("browsingContext.navigate", context=self.tab, url=url, wait="complete")

    def call(self, function: str) -> str:
        answer = self.ask("script.callFunction", functionDeclaration=function, awaitPromise=True, target={"context": self.tab})
        if answer["type"] == "exception":
            raise RuntimeError(answer["exceptionDetails"]["text"])
        return answer["result"]["value"]

    def perform(self, actions: list[dict[str, Any]]) -> None:
        self.ask("input.performActions", context=self.tab, actions=actions)

    def screenshot(self) -> bytes:
        return base64.b64decode(self.ask("browsingContext.captureScreenshot", context=self.tab)["data"])


#: WebKitGTK does not tell what it writes to its console, so this records messages and violations, from when the page is loaded.
NOTE = """
    globalThis.noted = [];
    for (const level of ['error', 'warn']) console[level] = (...texts) => noted.push(`${level}: ${texts.join(' ')}`);
    addEventListener('error', event => console.error(event.message));
    addEventListener('unhandledrejection', event => console.error(event.reason));
""" + NOTE_VIOLATIONS


class WebKit(Browser):
    def __init__(self) -> None:
        super().__init__()
        (self.directory / "gtk-3.0").mkdir()
        (self.directory / "gtk-3.0/settings.ini").write_text("[Settings]\ngtk-enable-animations=0\n")
        # There is no headless WebKitGTK.
        screen = self.run("Xvfb", "-displayfd", "1", "-screen", "0", "1000x800x24", "-nolisten", "tcp", "-noreset")
        self.environment["DISPLAY"] = ":" + eventually(lambda: re.findall(r"^(\d+)\n", screen.log(), re.M), "Xvfb has a screen")[0]
        self.port, self.session = free_port(), ""
        driver = self.run("WebKitWebDriver", f"--port={self.port}")
        eventually(lambda: driver.has_ended() or self.is_open(), "WebKitWebDriver answers")
        self.session = "/" + self.ask("POST", "", capabilities={})["sessionId"]
        # WebKitWebDriver leaves the browser running otherwise.
        self.ends.callback(self.ask, "DELETE", "")
        self.ask("POST", "/window/rect", **SIZE)
        bar = SIZE["height"] - eventually(lambda: self.evaluate("innerWidth == 800 && innerHeight"), "the window has its size")
        self.ask("POST", "/window/rect", width=SIZE["width"], height=SIZE["height"] + bar)

    def is_open(self) -> bool:
        try:
            return self.ask("GET", "/status")["ready"]
        except OSError:
            return False

    def ask(self, method: str, path: str, **parameters: Any) -> Any:
        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        address = path if path == "/status" else f"/session{self.session}{path}"
        connection.request(method, address, json.dumps(parameters) if method == "POST" else None)
        response = connection.getresponse()
        value = json.loads(response.read())["value"]
        connection.close()
        if response.status != 200:
            raise RuntimeError(f'{path}: {value["error"]}: {value["message"]}')
        return value

    def goto(self, url: str) -> None:
        self.messages += self.evaluate("globalThis.noted ?? []")
        self.ask("POST", "/url", url=url)
        self.evaluate(f"() => {{ {PROBE}; {NOTE} }}")

    def call(self, function: str) -> str:
        return self.ask("POST", "/execute/sync", script=f"return ({function})()", args=[])

    def perform(self, actions: list[dict[str, Any]]) -> None:
        self.ask("POST", "/actions", actions=actions)
        # It would take the next distance of the wheel as one from here.
        self.ask("DELETE", "/actions")

    def screenshot(self) -> bytes:
        return base64.b64decode(self.ask("GET", "/screenshot"))
