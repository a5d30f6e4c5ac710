"""A list, and the effect of operations on it, as docs/protocol-operations.md describes them: written from that page alone.

    state = Snapshot()
    state.apply([{"op": "appendItems", "items": [{"id": "milk"}]}])
    state.digest()                       # equal for equal lists
"""

import functools
import hashlib
import json

NEW_SECTION = "main"
SILENT = ("reconfigureItems", "reloadItems", "reloadSections")


class Refusal(Exception):
    """An operation that cannot be applied; `name` is the error's name."""

    def __init__(self, name, **about):
        super().__init__(name)
        self.name = name
        self.about = about


def text(value):
    """Content as the daemon compares it: by its bytes without white space, members in their order."""
    return None if value is None else json.dumps(value, separators=(",", ":"), ensure_ascii=False)


class Snapshot:
    """A state of a list. A place is ("s", section) or ("i", item): the owner of items."""

    def __init__(self):
        self.content = None
        self.sections = []
        self.section_contents = {}
        self.members = {}
        self.places = {}
        self.kinds = {}
        self.contents = {}
        self.expanded = set()

    def copy(self):
        other = Snapshot()
        other.content = self.content
        other.sections = list(self.sections)
        other.section_contents = dict(self.section_contents)
        other.members = {place: list(ids) for place, ids in self.members.items()}
        other.places = dict(self.places)
        other.kinds = dict(self.kinds)
        other.contents = dict(self.contents)
        other.expanded = set(self.expanded)
        return other

    def replace(self, other):
        """Becomes equal to another."""
        self.__dict__.update(other.__dict__)

    # MARK: As JSON

    def json(self):
        whole = {} if self.content is None else {"content": json.loads(self.content)}
        whole["sections"] = [self._section(name) for name in self.sections]
        return whole

    def _section(self, name):
        section = {"id": name}
        if self.section_contents.get(name) is not None:
            section["content"] = json.loads(self.section_contents[name])
        if self.members.get(("s", name)):
            section["items"] = [self._item(item) for item in self.members[("s", name)]]
        return section

    def _item(self, name):
        item = {"id": name}
        if self.kinds.get(name) is not None:
            item["kind"] = self.kinds[name]
        if self.contents.get(name) is not None:
            item["content"] = json.loads(self.contents[name])
        if name in self.expanded:
            item["expanded"] = True
        if self.members.get(("i", name)):
            item["children"] = [self._item(child) for child in self.members[("i", name)]]
        return item

    def digest(self):
        """Returns the digest of the state. Ids and contents have no control characters, so the joined parts are unambiguous."""
        parts = [short(self.content)]
        for name in self.sections:
            parts += ["\1", name, short(self.section_contents[name])]
            self._add_parts(self.members[("s", name)], parts)
        return hashlib.sha1("\0".join(parts).encode()).digest()

    def _add_parts(self, names, parts):
        for name in names:
            parts += ["\2" if name in self.expanded else "\3", name, self.kinds[name] or "", short(self.contents[name])]
            children = self.members[("i", name)]
            if children:
                parts.append("\4")
                self._add_parts(children, parts)
                parts.append("\5")

    @classmethod
    def of(cls, whole, known=None):
        """Makes a state from JSON. Missing expansions, and a missing content of the list, are taken from `known`."""
        state = cls()
        if "content" in whole:
            state.content = text(whole["content"])
        elif known is not None:
            state.content = known.content
        state._append_sections(whole.get("sections", []), known)
        return state

    # MARK: Operations

    def apply(self, operations):
        """Applies all operations or none. A refusal names the operation."""
        state = self.copy()
        for number, operation in enumerate(operations):
            try:
                state._carry_out(operation)
            except Refusal as refusal:
                refusal.about["operation"] = number
                raise
        self.replace(state)

    def _carry_out(self, operation):
        members = dict(operation)
        getattr(self, "_op_" + members.pop("op"))(**members)

    def _op_reconfigureList(self, content):
        self.content = text(content)

    def _op_patchList(self, content):
        self.content = text(merged(self.content and json.loads(self.content), content))

    def _op_appendSections(self, sections):
        self._append_sections(sections)

    def _append_sections(self, sections, known=None):
        for section in sections:
            self._add_section(section, len(self.sections), known)

    def _add_section(self, section, index, known=None):
        name = section["id"]
        if name in self.section_contents:
            raise Refusal("duplicateSection", section=name)
        self.sections.insert(index, name)
        self.section_contents[name] = text(section.get("content"))
        self.members[("s", name)] = []
        self._add(section.get("items") or [], ("s", name), 0, known)

    def _op_insertSections(self, sections, **anchor):
        index = self._section_index(anchor)
        for offset, section in enumerate(sections):
            self._add_section(section, index + offset)

    def _section_index(self, anchor):
        if "before" in anchor:
            return self.sections.index(self._known_section(anchor["before"]))
        if anchor["after"] is None:
            return 0
        return self.sections.index(self._known_section(anchor["after"])) + 1

    def _known_section(self, name):
        if name not in self.section_contents:
            raise Refusal("noSuchSection", section=name)
        return name

    def _op_deleteSections(self, sections, ifPresent=False):
        for name in sections:
            if name not in self.section_contents and ifPresent:
                continue
            self._known_section(name)
            for item in list(self.members[("s", name)]):
                self._remove(item)
            self.sections.remove(name)
            del self.section_contents[name]
            del self.members[("s", name)]

    def _op_moveSection(self, section, **anchor):
        self._known_section(section)
        if section == (anchor.get("before") or anchor.get("after")):
            raise Refusal("invalidAnchor", section=section)
        self._section_index(anchor)
        self.sections.remove(section)
        self.sections.insert(self._section_index(anchor), section)

    def _op_reloadSections(self, sections):
        for section in sections:
            if isinstance(section, str):
                self._known_section(section)
            else:
                name = self._known_section(section["id"])
                if "content" in section:
                    self.section_contents[name] = text(section["content"])

    def _op_appendItems(self, items, section=None, parent=None):
        place = self._place(section, parent)
        self._add(items, place, len(self.members[place]))

    def _place(self, section, parent):
        if parent is not None:
            place = ("i", self._known(parent))
            if section is not None and self._section_of(parent) != section:
                raise Refusal("invalidAnchor", item=parent)
            return place
        if section is not None:
            return ("s", self._known_section(section))
        if not self.sections:
            self._add_section({"id": NEW_SECTION}, 0)
        return ("s", self.sections[-1])

    def _section_of(self, item):
        place = self.places[item]
        while place[0] == "i":
            place = self.places[place[1]]
        return place[1]

    def _op_insertItems(self, items, section=None, parent=None, **anchor):
        place, index = self._spot(section, parent, anchor)
        self._add(items, place, index)

    def _spot(self, section, parent, anchor):
        """Where an anchor says: the place, and the index in it."""
        if anchor.get("before") is None and anchor.get("after") is None:
            place = self._place(section, parent)
            return place, 0 if "after" in anchor else len(self.members[place])
        name = self._known(anchor.get("before") or anchor.get("after"))
        place = self.places[name]
        if parent is not None and place != ("i", parent):
            raise Refusal("invalidAnchor", item=name)
        if section is not None and (parent is None and place != ("s", section) or self._section_of(name) != section):
            raise Refusal("invalidAnchor", item=name)
        index = self.members[place].index(name)
        return place, index if anchor.get("before") else index + 1

    def _known(self, item):
        if item not in self.places:
            raise Refusal("noSuchItem", item=item)
        return item

    def _add(self, items, place, index, known=None):
        for offset, item in enumerate(items):
            name = item["id"]
            if name in self.places:
                raise Refusal("duplicateItem", item=name)
            self.places[name] = place
            self.members.setdefault(place, []).insert(index + offset, name)
            self.kinds[name] = item.get("kind")
            self.contents[name] = text(item.get("content"))
            if item.get("expanded", known is not None and name in known.expanded):
                self.expanded.add(name)
            self.members[("i", name)] = []
            self._add(item.get("children") or [], ("i", name), 0, known)

    def _op_deleteItems(self, items, ifPresent=False):
        for name in items:
            if name not in self.places and not ifPresent:
                raise Refusal("noSuchItem", item=name)
        for name in items:
            if name in self.places:
                self._remove(name)

    def _remove(self, name):
        for child in list(self.members[("i", name)]):
            self._remove(child)
        self.members[self.places.pop(name)].remove(name)
        del self.members[("i", name)], self.kinds[name], self.contents[name]
        self.expanded.discard(name)

    def _op_deleteAllItems(self):
        content = self.content
        self.replace(Snapshot())
        self.content = content

    def _op_moveItem(self, item, section=None, parent=None, **anchor):
        self._known(item)
        name = anchor.get("before") or anchor.get("after")
        if name == item:
            raise Refusal("invalidAnchor", item=item)
        place, _ = self._spot(section, parent, anchor)
        above = place
        while above[0] == "i":
            if above[1] == item:
                raise Refusal("ownDescendant", item=item)
            above = self.places[above[1]]
        self.members[self.places[item]].remove(item)
        self.places[item] = place
        _, index = self._spot(section, parent, anchor)
        self.members[place].insert(index, item)

    def _op_reconfigureItems(self, items):
        for item in items:
            if isinstance(item, str):
                self._known(item)
            else:
                self._known(item["id"])
                self.contents[item["id"]] = text(item["content"])

    def _op_patchItems(self, items):
        for item in items:
            name = self._known(item["id"])
            old = self.contents[name]
            self.contents[name] = text(merged(old and json.loads(old), item["content"]))

    def _op_reloadItems(self, items):
        for item in items:
            if isinstance(item, str):
                self._known(item)
                continue
            name = self._known(item["id"])
            if "kind" in item:
                self.kinds[name] = item["kind"]
            if "content" in item:
                self.contents[name] = text(item["content"])

    def _op_expandItems(self, items):
        self.expanded.update([self._known(item) for item in items])

    def _op_collapseItems(self, items):
        self.expanded.difference_update([self._known(item) for item in items])

    def _op_replaceChildren(self, parent, items):
        known, names = self.copy(), list(_ids(items))
        above = ("i", self._known(parent))
        while above[0] == "i":
            if above[1] in names:
                raise Refusal("ownDescendant", item=above[1])
            above = self.places[above[1]]
        # Items that exist elsewhere in the list move here, without their children.
        for name in [*self.members[("i", parent)], *names]:
            if name in self.places:
                self._remove(name)
        self._add(items, ("i", parent), 0, known)

    # MARK: Whole states

    def apply_state(self, snapshot, section=None):
        """Applies a whole state like `apply`: a whole list, or the items of one section."""
        if section is None:
            self.replace(Snapshot.of(snapshot, self))
            return
        known, state = self.copy(), self.copy()
        if section not in state.section_contents:
            state._add_section({"id": section}, len(state.sections))
        for item in list(state.members[("s", section)]):
            state._remove(item)
        for name in _ids(snapshot):
            # What stands elsewhere is taken over from there, with nothing but what is said here.
            if name in state.places:
                state._remove(name)
        state._add(snapshot, ("s", section), 0, known)
        self.replace(state)


def _ids(items):
    for item in items:
        yield item["id"]
        yield from _ids(item.get("children") or [])


def digest(whole):
    """Returns the digest of a list as JSON, which may leave out default values."""
    return Snapshot.of(whole).digest()


@functools.lru_cache(10_000)
def short(content):
    """Returns the content, or a hash of a long one."""
    if content is None:
        return ""
    return content if len(content) < 100 else hashlib.sha1(content.encode()).hexdigest()


def merged(target, patch):
    """RFC 7396."""
    if not isinstance(patch, dict):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = merged(result.get(name), value)
    return result


def asks_to_draw_again(operations):
    """Whether there is a change even if the state stays as it is."""
    return any(operation["op"] in SILENT and any(isinstance(item, str) for item in operation.get("items", []) + operation.get(
        "sections", [])) or operation["op"] in ("reloadItems", "reloadSections") for operation in operations)
