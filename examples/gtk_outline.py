#!/usr/bin/env python3
"""A window with an outline, in GTK 4 with the Python client: rows are checked off, dragged, folded by a double click.

    gtk_outline.py LIST

What one does is sent to the daemon, and drawn when the list has it: so all windows show the same.
"""

import difflib
import sys
import threading
from typing import Any, Iterator, Sequence, Tuple

import gi  # type: ignore[import-not-found,import-untyped,unused-ignore]
from diffable import Client, DiffableError, Item, ListState, Operation

gi.require_version("Gdk", "4.0")
gi.require_version("Gtk", "4.0")
from gi.repository import Gdk, Gio, GLib, GObject, Gtk  # type: ignore[import-not-found,import-untyped,unused-ignore]  # noqa: E402


class Row(GObject.Object):  # type: ignore[misc,unused-ignore]
    text = GObject.Property(type=str)
    mark = GObject.Property(type=str)
    checked = GObject.Property(type=bool, default=False)
    indent = GObject.Property(type=int)

    def __init__(self, id: str) -> None:
        super().__init__()
        self.id = id

    def show(self, item: Item, level: int) -> None:
        self.text, self.checked = str(item.get("text", item.id)), bool(item.get("checked"))
        self.mark, self.indent = ("▾" if item.expanded else "▸") if len(item.children) else "", 24 * level
        self.is_expanded, self.parent = item.expanded, item.parent and item.parent.id


class Outline:
    """`store` has a row for each item whose ancestors are expanded. The selection is a row and no place."""

    def __init__(self, client: Client, name: str) -> None:
        self.client, self.name = client, name
        self.store = Gio.ListStore(item_type=Row)
        self.selection = Gtk.SingleSelection(model=self.store)
        threading.Thread(target=self.follow, daemon=True).start()

    def follow(self) -> None:
        for update in self.client.follow(self.name, if_absent="wait"):
            # The window's loop reads the state, so the next update waits until that is done.
            shown = threading.Event()
            GLib.idle_add(self.show, update.state, shown)
            shown.wait()

    def show(self, state: ListState, shown: threading.Event) -> None:
        items = [(item, level) for section in state.sections for item, level in visible(section.items)]
        old, new = [row.id for row in self.store], [item.id for item, _ in items]
        rows, selected = {row.id: row for row in self.store}, self.selection.get_selected_item()
        for item, level in items:
            rows.setdefault(item.id, Row(item.id)).show(item, level)
        # From below, so that the places above stay what they are.
        for what, start, end, first, last in reversed(difflib.SequenceMatcher(None, old, new, False).get_opcodes()):
            if what != "equal":
                self.store.splice(start, end - start, [rows[id] for id in new[first:last]])
        if selected is not None and selected.id in new:
            self.selection.set_selected(new.index(selected.id))
        shown.set()

    def change(self, *operations: Operation) -> None:
        """Others may say no to it; then nothing has changed, here as everywhere."""
        def propose() -> None:
            try:
                self.client.propose(self.name, list(operations))
            except DiffableError as error:
                print(error, file=sys.stderr)

        threading.Thread(target=propose, daemon=True).start()

    def check(self, row: Row, checked: bool) -> None:
        self.change({"op": "patchItems", "items": [{"id": row.id, "content": {"checked": checked}}]})

    def fold(self, row: Row) -> None:
        if row.is_expanded:
            self.change({"op": "collapseItems", "items": [row.id]})
        else:
            self.change({"op": "expandItems", "items": [row.id]})

    def move(self, id: str, target: Row) -> None:
        """A row that is dragged takes the place of the one that it is dropped on."""
        row = next((row for row in self.store if row.id == id), None)
        if row is not None and row is not target:
            if self.store.find(row)[1] < self.store.find(target)[1] and row.parent == target.parent:
                self.change({"op": "moveItem", "item": id, "after": target.id})
            else:
                self.change({"op": "moveItem", "item": id, "before": target.id})


def visible(items: Sequence[Item], level: int = 0) -> Iterator[Tuple[Item, int]]:
    for item in items:
        yield item, level
        if item.expanded:
            yield from visible(item.children, level + 1)


def show_window(application: Any, outline: Outline) -> None:
    def toggle(button: Any, cell: Any) -> None:
        row = cell.get_item()
        if row is not None and button.get_active() != row.checked:
            outline.check(row, button.get_active())
            button.set_active(row.checked)

    def set_up(_: Any, cell: Any) -> None:
        box, button = Gtk.Box(spacing=6), Gtk.CheckButton()
        for widget in Gtk.Label(width_chars=2), button, Gtk.Label(xalign=0, hexpand=True):
            box.append(widget)
        button.connect("toggled", toggle, cell)
        source, target = Gtk.DragSource(actions=Gdk.DragAction.MOVE), Gtk.DropTarget.new(str, Gdk.DragAction.MOVE)
        source.connect("prepare", lambda *_: Gdk.ContentProvider.new_for_value(cell.get_item().id))
        target.connect("drop", lambda _, id, x, y: outline.move(id, cell.get_item()))
        box.add_controller(source)
        box.add_controller(target)
        cell.set_child(box)

    def bind(_: Any, cell: Any) -> None:
        row, box = cell.get_item(), cell.get_child()
        mark, text = box.get_first_child(), box.get_last_child()
        bound = (("indent", box, "margin-start"), ("mark", mark, "label"), ("text", text, "label"),
                 ("checked", mark.get_next_sibling(), "active"))
        cell.bindings = [row.bind_property(name, widget, property, GObject.BindingFlags.SYNC_CREATE)
                         for name, widget, property in bound]

    def unbind(_: Any, cell: Any) -> None:
        for binding in cell.bindings:
            binding.unbind()

    factory = Gtk.SignalListItemFactory()
    for signal, function in ("setup", set_up), ("bind", bind), ("unbind", unbind):
        factory.connect(signal, function)
    view = Gtk.ListView(model=outline.selection, factory=factory)
    view.connect("activate", lambda _, place: outline.fold(outline.store[place]))
    window = Gtk.ApplicationWindow(application=application, title=outline.name, default_width=320, default_height=300)
    window.set_child(Gtk.ScrolledWindow(child=view))
    window.present()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: gtk_outline.py LIST")
    application = Gtk.Application(application_id="org.diffabled.Outline", flags=Gio.ApplicationFlags.NON_UNIQUE)
    application.connect("activate", lambda it: show_window(it, Outline(Client(), sys.argv[1])))
    application.run()
