"""Lost connections, hidden tabs and removed links."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from diffable import Client
from fixture import Daemon, Web, WebTest
from test_keys import DONE, letters


class ConnectionTests(WebTest):
    # A browser logs each attempt to connect while there is no server.
    expected_messages = ("ERR_CONNECTION_REFUSED", "WebSocket connection to", "503", "401", "favicon.ico")

    def setUp(self) -> None:
        super().setUp()
        # Of their own: these are killed.
        self.daemon = Daemon()
        self.addCleanup(self.daemon.close)
        self.web = Web(self.daemon)
        self.addCleanup(self.web.close)
        self.client = Client(self.daemon.socket, name="test")
        self.addCleanup(self.client.close)

    def test_a_killed_daemon_returns(self) -> None:
        name = self.publish(letters("a", "b", kinds={"": {"actions": [DONE]}}))
        page = self.open(name)
        self.daemon.kill()
        self.wait_for(lambda: page.evaluate("!probe.list.following.live"), "the page notices")
        self.wait_for(lambda: page.evaluate("""[...probe.root.querySelectorAll('[role=status]')].some(
            element => element.checkVisibility() && element.textContent.includes('onnect'))"""), "it says so")
        self.assertEqual(self.texts(page), ["A", "B"])
        # Nothing is queued.
        self.press(page, "d")
        self.daemon.start()
        self.client.transact(name, [{"op": "appendItems", "section": "main", "items": [{"id": "c", "content": {"text": "C"}}]}])
        self.wait_for(lambda: self.texts(page) == ["A", "B", "C"], "the page follows again")
        self.assertEqual(self.cursor(page), "a")
        self.assertIsNone(self.client.snapshot(name).state["a"].get("checked"))

    def test_an_out_of_date_list_stays_dimmed_until_it_is_up_to_date(self) -> None:
        page = self.open(self.publish(letters("a")), self.publish(letters("b")), flags=("kiosk",))
        self.daemon.kill()
        dimmed = "[...document.querySelectorAll('diffable-list')].every(e => e.shadowRoot.querySelector('.dim .banner').textContent)"
        self.wait_for(lambda: page.evaluate(f"(() => {{ try {{ return {dimmed} }} catch {{}} }})()"), "both lists are dimmed")
        # The page tries to connect several times in this time.
        page.evaluate(f"globalThis.was = true; setInterval(() => {{ try {{ was &&= {dimmed} }} catch {{ was = false }} }}, 10)")
        page.wait_for_timeout(4000)
        self.assertTrue(page.evaluate("was"), "a list looked up to date")
        self.assertIn("the daemon is gone", page.locator("diffable-list .banner").first.inner_text())
        page.wait_for_timeout(1500)
        self.assertIn("as of", page.locator("diffable-list .banner").first.inner_text())
        self.daemon.start()
        self.wait_until_live(page, 2)
        self.wait_for(lambda: page.locator("diffable-list .dim").count() == 0, "both lists are up to date")

    def test_a_page_that_is_opened_without_a_daemon_says_so(self) -> None:
        name = self.publish(letters("a"))
        opened = self.context().new_page()
        opened.goto(self.address())
        links = opened.locator(".lists a")
        self.wait_for(lambda: links.count() == 1, "the list")
        self.daemon.kill()
        for address in (self.address(), self.address(name)):
            page = self.context().new_page()
            page.goto(address)
            page.get_by_text("There is no connection: the daemon is gone").wait_for(timeout=5000)
        self.wait_for(lambda: "The connection is lost" in opened.locator("main").inner_text(), "the open page says so, too")
        self.assertEqual(opened.evaluate("getComputedStyle(document.getElementById('lists')).opacity"), "0.55")
        self.daemon.start()
        self.wait_for(lambda: links.count() == 1 and not opened.locator("#lost").is_visible(), "the list is back")

    def test_a_killed_bridge_returns(self) -> None:
        name = self.publish(letters("a"))
        page = self.open(name)
        self.web.kill()
        self.wait_for(lambda: page.evaluate("!probe.list.following.live"), "the page notices")
        self.client.transact(name, [{"op": "appendItems", "section": "main", "items": [{"id": "b", "content": {"text": "B"}}]}])
        self.web.start()
        self.wait_for(lambda: self.texts(page) == ["A", "B"], "the page follows again")

    def test_a_tab_hidden_for_half_a_minute_rests(self) -> None:
        name = self.publish(letters("a"))
        context = self.context()
        context.add_init_script("""
            globalThis.sockets = 0;
            const Original = WebSocket;
            globalThis.WebSocket = class extends Original {
                constructor(...all) { super(...all); sockets++; this.addEventListener('close', () => sockets--); }
            };
            globalThis.hide = hidden => {
                Object.defineProperty(document, 'hidden', {value: hidden, configurable: true});
                Object.defineProperty(document, 'visibilityState', {value: hidden ? 'hidden' : 'visible', configurable: true});
                document.dispatchEvent(new Event('visibilitychange'));
            };""")
        context.clock.install()
        page = self.open(name, context=context)
        self.assertGreater(page.evaluate("sockets"), 0)
        page.evaluate("hide(true)")
        page.clock.run_for(20_000)
        self.assertGreater(page.evaluate("sockets"), 0, "connected for 20 s")
        page.clock.run_for(15_000)
        self.wait_for(lambda: page.evaluate("sockets") == 0, "after 30 s the connection rests")
        self.client.transact(name, [{"op": "appendItems", "section": "main", "items": [{"id": "b", "content": {"text": "B"}}]}])
        page.evaluate("hide(false)")
        for _ in range(20):
            page.clock.run_for(500)
        self.wait_for(lambda: self.texts(page) == ["A", "B"], "it continues when it is visible")

    def test_a_removed_link_closes_its_pages(self) -> None:
        name = self.publish(letters("a"))
        page = self.open(name, token=self.web.link(name="guest"))
        self.web.command("unlink", "guest")
        self.wait_for(lambda: page.evaluate("!probe.list.following.live"), "the page is closed")
        self.client.transact(name, [{"op": "appendItems", "section": "main", "items": [{"id": "b", "content": {"text": "B"}}]}])
        page.wait_for_timeout(1000)
        self.assertEqual(self.texts(page), ["A"])

    def test_a_server_on_another_port_receives_nothing_of_ours(self) -> None:
        page = self.open(self.publish(letters("a")))
        self.assertEqual(page.context.cookies(), [])
        self.assertNotIn("token", page.url)
        received: list[str] = []

        class Recorder(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                received.append(f"{self.path}\n{self.headers}")
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(b"<!doctype html>other")

            def log_message(self, *_: object) -> None:
                pass

        other = ThreadingHTTPServer(("127.0.0.1", 0), Recorder)
        threading.Thread(target=other.serve_forever, daemon=True).start()
        self.addCleanup(other.server_close)
        self.addCleanup(other.shutdown)
        second = page.context.new_page()
        second.goto(f"http://127.0.0.1:{other.server_port}/")
        self.assertEqual(second.evaluate("[document.cookie, localStorage.length, document.referrer]"), ["", 0, ""])
        # From the page itself, as a link in a list could lead there.
        page.evaluate("url => { location.href = url }", f"http://127.0.0.1:{other.server_port}/from")
        self.wait_for(lambda: any("/from" in request for request in received), "the other server is asked")
        token = self.web.link()
        for request in received:
            self.assertNotIn(token, request)
            self.assertNotIn(self.web.host, request)
            self.assertNotRegex(request.lower(), "cookie|authorization")
