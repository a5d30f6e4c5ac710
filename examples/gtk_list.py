#!/usr/bin/env python3
"""A window that shows a list, in GTK 4: a Gio.ListStore that follows it by what the daemon sends.

    gtk_list.py LIST [SECTION]

Rows are inserted, deleted and moved one by one, so the selection and the scrolled place stay with their items.
"""

import json
import os
import sys
from typing import Any, Dict, List, Optional

from gi.repository import Gio, GLib, GObject  # type: ignore[import-not-found,import-untyped,unused-ignore]


class Row(GObject.Object):  # type: ignore[misc,unused-ignore]
    text = GObject.Property(type=str)

    def __init__(self, item: Dict[str, Any]) -> None:
        super().__init__()
        self.id = item["id"]
        self.show(item)

    def show(self, item: Dict[str, Any]) -> None:
        content = item.get("content")
        self.text = content.get("text", self.id) if isinstance(content, dict) else str(content or self.id)


class ListFollower:
    """`store` has a row for each item of one section, and is changed as that is."""

    def __init__(self, name: str, section: str, path: str) -> None:
        self.store = Gio.ListStore(item_type=Row)
        self.rows: Dict[str, Row] = {}
        self.group: List[Dict[str, Any]] = []
        self.connection = Gio.SocketClient().connect(Gio.UnixSocketAddress.new(path))
        view = {"sections": [section], "expansion": "own"}
        request = {"id": 1, "method": "subscribe", "params": {"list": name, "ifAbsent": "wait", "view": view}}
        self.connection.get_output_stream().write_all(json.dumps(request).encode() + b"\n")
        self.lines = Gio.DataInputStream.new(self.connection.get_input_stream())
        self.lines.read_line_async(GLib.PRIORITY_DEFAULT, None, self.on_line)

    def on_line(self, lines: Any, result: Any) -> None:
        line, _ = lines.read_line_finish_utf8(result)
        if line is None:
            sys.exit("the daemon has gone")
        message = json.loads(line)
        if "error" in message:
            sys.exit(message["error"]["message"])
        params = message.get("params", {})
        self.group += params.get("operations", [])
        # A long group is sent in parts, and applied when all of it is there.
        if not params.get("more"):
            if message.get("method") in ("reset", "listDeleted"):
                self.store.remove_all()
            for operation in self.group if message.get("method") != "listDeleted" else []:
                self.apply(operation)
            self.group = []
        lines.read_line_async(GLib.PRIORITY_DEFAULT, None, self.on_line)

    def index(self, item: str) -> int:
        place: int = self.store.find(self.rows[item])[1]
        return place

    def insert(self, at: int, items: List[Dict[str, Any]]) -> None:
        rows = [Row(item) for item in items]
        self.rows.update((row.id, row) for row in rows)
        self.store.splice(at, 0, rows)

    def move(self, item: str, after: Optional[str]) -> None:
        """In one step: a row that leaves the store, if only for a moment, is not selected any more."""
        old = self.index(item)
        new = 0 if after is None else self.index(after) + 1
        if new > old:
            self.store.splice(old, new - old, [*self.store[old + 1 : new], self.rows[item]])
        else:
            self.store.splice(new, old - new + 1, [self.rows[item], *self.store[new:old]])

    def apply(self, operation: Dict[str, Any]) -> None:
        """What is received is in canonical form: each step places after a neighbour that is in its place already."""
        match operation:
            case {"op": "insertItems", "after": after, "items": items}:
                self.insert(0 if after is None else self.index(after) + 1, items)
            case {"op": "appendItems", "items": items}:
                self.insert(len(self.store), items)
            case {"op": "appendSections" | "insertSections", "sections": sections}:
                self.insert(0, [item for section in sections for item in section.get("items", [])])
            case {"op": "moveItem", "item": item, "after": after}:
                self.move(item, after)
            case {"op": "deleteItems", "items": items}:
                for item in items:
                    self.store.remove(self.index(item))
                    del self.rows[item]
            case {"op": "deleteSections" | "deleteAllItems"}:
                self.store.remove_all()
            case {"op": "reconfigureItems" | "reloadItems", "items": items}:
                for item in items:
                    if isinstance(item, dict):
                        self.rows[item["id"]].show(item)


def show_window(application: Any, follower: ListFollower, title: str) -> None:
    from gi.repository import Gtk  # type: ignore[import-not-found,import-untyped,unused-ignore]

    factory = Gtk.SignalListItemFactory()
    factory.connect("setup", lambda _, cell: cell.set_child(Gtk.Label(xalign=0)))
    factory.connect("bind", lambda _, cell: setattr(cell, "binding", cell.get_item().bind_property(
        "text", cell.get_child(), "label", GObject.BindingFlags.SYNC_CREATE)))
    factory.connect("unbind", lambda _, cell: cell.binding.unbind())
    view = Gtk.ListView(model=Gtk.SingleSelection(model=follower.store), factory=factory)
    window = Gtk.ApplicationWindow(application=application, title=title, default_width=320, default_height=240)
    window.set_child(Gtk.ScrolledWindow(child=view))
    window.present()


if __name__ == "__main__":
    import gi  # type: ignore[import-not-found,import-untyped,unused-ignore]

    gi.require_version("Gtk", "4.0")
    from gi.repository import Gtk  # type: ignore[import-not-found,import-untyped,unused-ignore]

    name, section = (sys.argv[1:] + ["main"])[:2]
    socket = os.environ.get("DIFFABLED_SOCKET") or os.environ["XDG_RUNTIME_DIR"] + "/diffabled/diffabled.sock"
    application = Gtk.Application(application_id="org.diffabled.Example")
    application.connect("activate", lambda it: show_window(it, ListFollower(name, section, socket), name))
    application.run()
