"""examples/web/nginx.conf and the Caddyfile in front of diffable-web, below several paths."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import socket
import subprocess
import tempfile
import urllib.request
from pathlib import Path

from fixture import REPOSITORY, Program, Web, WebTest, eventually, free_port
from test_keys import letters

PATH = os.environ["PATH"] + ":/usr/sbin:/sbin"


class ProxyTests(WebTest):
    def setUp(self) -> None:
        super().setUp()
        self.directory = Path(tempfile.mkdtemp(prefix="web-"))
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)
        # The master process runs as root, its workers as www-data, as on a server.
        self.directory.chmod(0o755)
        self.socket = self.directory / "http.sock"
        self.behind = Web(self.daemon, "--hosts", "board.example.org", listen=f"unix:{self.socket}")
        self.addCleanup(self.behind.close)
        eventually(self.socket.exists, f"the socket: {self.behind.log()}")
        self.port = free_port()

    def run_proxy(self, *command: str) -> None:
        proxy = Program(self.directory, *command)
        proxy.run()
        self.addCleanup(proxy.kill, 15)

        def answers() -> bool:
            self.assertFalse(proxy.has_ended(), proxy.log())
            try:
                return urllib.request.urlopen(self.url("health"), timeout=5).status == 200
            except OSError:
                return False

        eventually(answers, f"the proxy answers: {proxy.log()}")

    def url(self, rest: str) -> str:
        return f"http://127.0.0.1:{self.port}{self.path}{rest}"

    def check(self) -> None:
        name = self.publish(letters("a", "b"))
        token = self.behind.link(name)
        page = self.context().new_page()
        page.goto(self.url(f"?list={name}#token={token}"))
        self.wait_until_live(page)
        self.patch(name, "a", text="Changed")
        self.wait_for(lambda: self.texts(page) == ["Changed", "B"], "the change, over the WebSocket")
        # Server-sent events arrive one by one.
        request = urllib.request.Request(self.url(f"lists/{name}/events"), headers={"Authorization": f"Bearer {token}"})
        with urllib.request.urlopen(request, timeout=30) as events:
            self.assertEqual(events.headers.get_content_type(), "text/event-stream")
            lines = iter(events)
            self.assertIn(b"reset", next(line for line in lines if line.startswith(b"event:")))
            self.patch(name, "b", text="Changed, too")
            found = next(line for line in lines if line.startswith(b"data:") and b"too" in line)
            self.assertIn("operations", json.loads(found[5:])["params"] if b"params" in found else json.loads(found[5:]))
        page.close()

    def test_nginx(self) -> None:
        nginx = shutil.which("nginx", path=PATH)
        if nginx is None:
            self.skipTest("nginx is not installed")
        text = (REPOSITORY / "examples/web/nginx.conf").read_text()
        temporary = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        for self.path in ("/lists/", "/", "/a/deep/path/"):
            with self.subTest(path=self.path):
                self.port = free_port()
                server = text.replace("/run/diffable-web/http.sock", str(self.socket))
                server = server.replace("location /lists/", f"location {self.path}")
                for line in ("listen 443 ssl;", "ssl_certificate ", "ssl_certificate_key "):
                    self.assertIn(line, server)
                server = server.replace("listen 443 ssl;", f"listen 127.0.0.1:{self.port};").replace("ssl_certificate", "# ")
                configuration = self.directory / f"{self.port}.conf"
                configuration.write_text("\n".join([
                    "daemon off;", f"pid {self.directory}/{self.port}.pid;", "error_log stderr;", "events {}",
                    *(["user root;"] if os.getuid() == 0 else []), "http {", "access_log off;",
                    *(f"{kind}_temp_path {self.directory}/{kind};" for kind in temporary), server, "}"]))
                self.run_proxy(nginx, "-c", str(configuration))
                self.check()

    def test_caddy(self) -> None:
        caddy = shutil.which("caddy", path=PATH)
        if caddy is None:
            self.skipTest("caddy is not installed")
        text = (REPOSITORY / "examples/web/Caddyfile").read_text()
        self.path = "/lists/"
        server = text.replace("/run/diffable-web/http.sock", str(self.socket)).replace(
            "board.example.org {", f"http://127.0.0.1:{self.port} {{")
        configuration = self.directory / "Caddyfile"
        configuration.write_text("{\n\tadmin off\n\tauto_https off\n}\n" + server)
        self.run_proxy(caddy, "run", "--config", str(configuration), "--adapter", "caddyfile")
        self.check()

    def test_a_page_of_another_host_gets_nothing(self) -> None:
        """The proxy names the host. A host that --hosts does not have is refused."""
        connection = http.client.HTTPConnection("localhost")
        for host, expected in (("board.example.org", 200), ("evil.example.org", 421)):
            connection.sock = socket.socket(socket.AF_UNIX)
            connection.sock.connect(str(self.socket))
            connection.request("GET", "/", headers={"Host": "board.example.org", "X-Forwarded-Host": host})
            response = connection.getresponse()
            response.read()
            self.assertEqual(response.status, expected)
            connection.close()

    def test_the_files_of_the_kiosk(self) -> None:
        verify = shutil.which("systemd-analyze", path=PATH)
        if verify is None:
            self.skipTest("systemd-analyze is not installed")
        text = (REPOSITORY / "examples/web/kiosk.service").read_text()
        # The program need not be installed here.
        unit = self.directory / "kiosk.service"
        unit.write_text(text.replace("/usr/bin/cage", "/bin/true"))
        ran = subprocess.run([verify, "verify", "--man=no", str(unit)], capture_output=True, text=True)
        complaints = [line for line in ran.stderr.splitlines() if "kiosk.service" in line]
        self.assertEqual(complaints, [])
