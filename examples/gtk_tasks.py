#!/usr/bin/env python3
"""A window of tasks that one can check off, in GTK 4 with the Python client. The daemon may be restarted meanwhile.

    gtk_tasks.py [LIST [SECTION]]

A check mark is sent to the daemon, and drawn when the list has it: so all windows show the same.
"""

import sys
import threading

import gi
from diffable import Client

gi.require_version("Gtk", "4.0")
from gi.repository import Gio, GLib, GObject, Gtk  # noqa: E402


class Row(GObject.Object):
    text = GObject.Property(type=str)
    done = GObject.Property(type=bool, default=False)

    def __init__(self, item):
        super().__init__()
        self.id = item.id
        self.show(item)

    def show(self, item):
        self.text, self.done = str(item.get("text", item.id)), bool(item.get("done"))


class Tasks:
    """`store` has a row for each item of one section. Rows come, go and move one by one, so the selection stays."""

    def __init__(self, client, name, section):
        self.client, self.name, self.section = client, name, section
        self.store = Gio.ListStore(item_type=Row)
        self.rows = {}
        threading.Thread(target=self.follow, daemon=True).start()

    def follow(self):
        view = {"sections": [self.section], "expansion": "own", "expanded": []}
        for update in self.client.follow(self.name, view, if_absent="wait"):
            # The window's loop reads the state, so the next update waits until that is done.
            shown = threading.Event()
            GLib.idle_add(self.show, update, shown)
            shown.wait()

    def show(self, update, shown):
        moved, changed = set(), set()
        if update.is_reset or any("Sections" in operation["op"] for operation in update.operations):
            self.store.remove_all()
            self.rows.clear()
            moved.update(item.id for _, item in update.state.rows())
        for operation in () if moved else update.operations:
            ids = [item["id"] if isinstance(item, dict) else item for item in operation.get("items", ())]
            if operation["op"] in ("insertItems", "appendItems"):
                moved.update(ids)
            elif operation["op"] == "moveItem":
                moved.add(operation["item"])
            changed.update(ids)
        for id in [*moved, *changed]:
            row, item = self.rows.get(id), update.state.get(id)
            if row is not None and (id in moved or item is None):
                self.store.remove(self.store.find(row)[1])
                del self.rows[id]
            elif row is not None:
                row.show(item)
        # What stays is in its order, so from above each finds its place.
        for item in sorted((update.state[id] for id in moved if id in update.state), key=lambda item: item.index):
            self.rows[item.id] = Row(item)
            self.store.insert(item.index, self.rows[item.id])
        shown.set()

    def check(self, row, done):
        patch = {"op": "patchItems", "items": [{"id": row.id, "content": {"done": done}}]}
        threading.Thread(target=self.client.transact, args=(self.name, [patch]), daemon=True).start()


def show_window(application, tasks):
    def bind(_, cell):
        row, button = cell.get_item(), cell.get_child()
        flags = GObject.BindingFlags.SYNC_CREATE
        cell.bindings = [row.bind_property("text", button, "label", flags), row.bind_property("done", button, "active", flags)]
        cell.handler = button.connect("toggled", lambda it: it.get_active() != row.done and tasks.check(row, it.get_active()))

    def unbind(_, cell):
        cell.get_child().disconnect(cell.handler)
        for binding in cell.bindings:
            binding.unbind()

    factory = Gtk.SignalListItemFactory()
    factory.connect("setup", lambda _, cell: cell.set_child(Gtk.CheckButton()))
    factory.connect("bind", bind)
    factory.connect("unbind", unbind)
    window = Gtk.ApplicationWindow(application=application, title=tasks.name, default_width=320, default_height=240)
    window.set_child(Gtk.ScrolledWindow(child=Gtk.ListView(model=Gtk.SingleSelection(model=tasks.store), factory=factory)))
    window.present()


if __name__ == "__main__":
    name, section = (sys.argv[1:] + ["tasks", "main"][len(sys.argv) - 1:])[:2]
    application = Gtk.Application(application_id="org.diffabled.Tasks", flags=Gio.ApplicationFlags.NON_UNIQUE)
    application.connect("activate", lambda it: show_window(it, Tasks(Client(), name, section)))
    application.run()
