#!/usr/bin/env python3
"""A window of tasks that one can check off, in GTK 4 with the Python client. The daemon may be restarted meanwhile.

    gtk_tasks.py [LIST [SECTION]]

A check mark is sent to the daemon, and drawn when the list has it: so all windows show the same.
"""

import difflib
import sys
import threading
from typing import Any

import gi  # type: ignore[import-not-found,import-untyped,unused-ignore]
from diffable import Client, DiffableError, Item, Operation, Update, View

gi.require_version("Gtk", "4.0")
from gi.repository import Gio, GLib, GObject, Gtk  # type: ignore[import-not-found,import-untyped,unused-ignore]  # noqa: E402


class Row(GObject.Object):  # type: ignore[misc,unused-ignore]
    text = GObject.Property(type=str)
    done = GObject.Property(type=bool, default=False)

    def __init__(self, item: Item) -> None:
        super().__init__()
        self.id = item.id
        self.show(item)

    def show(self, item: Item) -> None:
        self.text, self.done = str(item.get("text", item.id)), bool(item.get("done"))


class Tasks:
    """`store` has a row for each item of one section. The selected row stays selected wherever it moves."""

    def __init__(self, client: Client, name: str, section: str) -> None:
        self.client, self.name, self.section = client, name, section
        self.store = Gio.ListStore(item_type=Row)
        self.selection = Gtk.SingleSelection(model=self.store)
        threading.Thread(target=self.follow, daemon=True).start()

    def follow(self) -> None:
        view: View = {"sections": [self.section], "expansion": "own", "expanded": []}
        for update in self.client.follow(self.name, view, if_absent="wait"):
            # The window's loop reads the state, so the next update waits until that is done.
            shown = threading.Event()
            GLib.idle_add(self.show, update, shown)
            shown.wait()

    def show(self, update: Update, shown: threading.Event) -> None:
        items = [item for _, item in update.state.rows()]
        old, new = [row.id for row in self.store], [item.id for item in items]
        rows, selected = {row.id: row for row in self.store}, self.selection.get_selected_item()
        for item in items:
            rows.setdefault(item.id, Row(item)).show(item)
        # From below, so that the places above stay the same.
        for what, start, end, first, last in reversed(difflib.SequenceMatcher(None, old, new, False).get_opcodes()):
            if what != "equal":
                self.store.splice(start, end - start, [rows[id] for id in new[first:last]])
        if selected is not None and selected.id in new:
            self.selection.set_selected(new.index(selected.id))
        shown.set()

    def check(self, row: Row, done: bool) -> None:
        patch: Operation = {"op": "patchItems", "items": [{"id": row.id, "content": {"done": done}}]}

        def change() -> None:
            try:
                self.client.transact(self.name, [patch])
            except DiffableError as error:
                print(error, file=sys.stderr)

        threading.Thread(target=change, daemon=True).start()


def show_window(application: Any, tasks: Tasks) -> None:
    def toggle(button: Any, row: Row) -> None:
        if button.get_active() != row.done:
            tasks.check(row, button.get_active())
            # Drawn when the list has it, and not at all if the change is refused.
            button.set_active(row.done)

    def bind(_: Any, cell: Any) -> None:
        row, button = cell.get_item(), cell.get_child()
        flags = GObject.BindingFlags.SYNC_CREATE
        cell.bindings = [row.bind_property("text", button, "label", flags), row.bind_property("done", button, "active", flags)]
        cell.handler = button.connect("toggled", toggle, row)

    def unbind(_: Any, cell: Any) -> None:
        cell.get_child().disconnect(cell.handler)
        for binding in cell.bindings:
            binding.unbind()

    factory = Gtk.SignalListItemFactory()
    factory.connect("setup", lambda _, cell: cell.set_child(Gtk.CheckButton()))
    factory.connect("bind", bind)
    factory.connect("unbind", unbind)
    window = Gtk.ApplicationWindow(application=application, title=tasks.name, default_width=320, default_height=240)
    window.set_child(Gtk.ScrolledWindow(child=Gtk.ListView(model=tasks.selection, factory=factory)))
    window.present()


if __name__ == "__main__":
    name, section = (sys.argv[1:] + ["tasks", "main"][len(sys.argv) - 1:])[:2]
    application = Gtk.Application(application_id="org.diffabled.Tasks", flags=Gio.ApplicationFlags.NON_UNIQUE)
    application.connect("activate", lambda it: show_window(it, Tasks(Client(), name, section)))
    application.run()
