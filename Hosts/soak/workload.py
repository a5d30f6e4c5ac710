"""Random requests of a writer: changes of a list that it has seen a moment ago, some of which do not fit any more."""

import copy

ITEMS = 60


def asked(chance, view, revision, token):
    """A method and its parameters. `view` is the state that the writer knows, `revision` its, `token` a word of its own."""
    what = chance.random()
    if what < 0.05 and revision > 0:
        # The models know revisions, and not which changes were undone before.
        method, params = "undo", {"to": revision - 1}
        if chance.random() < 0.8:
            params["ifRevision"] = revision
    elif what < 0.10 and view.sections:
        method, params = "apply", _state(chance, view, token)
    else:
        method, params = "transact", {"operations": _operations(chance, view, token)}
        if chance.random() < 0.15:
            params["ifRevision"] = revision
    return method, params


def _state(chance, view, token):
    """A section, or everything, in another order and with one item more."""
    whole = copy.deepcopy(view.json())
    section = chance.choice(whole["sections"])
    items = section.setdefault("items", [])
    chance.shuffle(items)
    items.append(_item(token))
    if chance.random() < 0.3:
        return {"snapshot": whole, **({"usingReloadData": True} if chance.random() < 0.1 else {})}
    return {"section": section["id"], "snapshot": items}


def _item(token, number=0):
    return {"id": f"{token}.{number}", "content": {"by": token, "n": number}}


def _operations(chance, view, token):
    if not view.sections:
        return [{"op": "appendSections", "sections": [{"id": token, "items": [_item(token)]}]}]
    return [_operation(chance, view, token, number) for number in range(chance.choice([1, 1, 1, 2, 3]))]


def _operation(chance, view, token, number):
    items = sorted(view.places)
    what = chance.random()
    if what < 0.06:
        return _misfit(chance, view, items, token, number)
    if what < 0.12:
        return _of_section(chance, view, token, number)
    if not items or what < (0.50 if len(items) < ITEMS else 0.25):
        return _insertion(chance, view, items, token, number)
    one = chance.choice(items)
    if what < 0.65:
        content = {"by": token, "n": number, "text": "x" * chance.randrange(40)}
        if chance.random() < 0.5:
            return {"op": "patchItems", "items": [{"id": one, "content": {"by": token, "n": number}}]}
        return {"op": "reconfigureItems", "items": [{"id": one, "content": content}]}
    if what < 0.77:
        return {"op": "moveItem", "item": one, **chance.choice(_places(chance, view, items))}
    if what < 0.81:
        return {"op": chance.choice(["expandItems", "collapseItems"]), "items": [one]}
    if what < 0.83:
        return {"op": "reloadItems", "items": [{"id": one, "kind": token, "content": {"by": token}}]}
    if what < 0.85:
        return {"op": "replaceChildren", "parent": one, "items": [_item(token, f"{number}.{child}") for child in range(2)]}
    if what < 0.87:
        return {"op": chance.choice(["reconfigureList", "patchList"]), "content": {"title": token}}
    deleted = chance.sample(items, min(len(items), chance.choice([1, 1, 2, 5])))
    return {"op": "deleteItems", "items": deleted, **({"ifPresent": True} if chance.random() < 0.3 else {})}


def _places(chance, view, items):
    one = chance.choice(items)
    return [{"before": one}, {"after": one}, {"parent": one}, {"section": chance.choice(view.sections)},
            {"after": None, "section": chance.choice(view.sections)}]


def _insertion(chance, view, items, token, number):
    new = [_item(token, f"{number}.{index}") for index in range(chance.choice([1, 1, 3]))]
    if not items:
        return {"op": "appendItems", "items": new}
    place = chance.choice(_places(chance, view, items))
    name = "insertItems" if {"before", "after"} & place.keys() else "appendItems"
    return {"op": name, **place, "items": new}


def _of_section(chance, view, token, number):
    one = chance.choice(view.sections)
    if len(view.sections) < 3:
        return {"op": "appendSections", "sections": [{"id": f"{token}.{number}", "content": {"header": token}}]}
    what = chance.randrange(4)
    if what == 0 and len(view.sections) > 3:
        return {"op": "deleteSections", "sections": [one]}
    if what == 1:
        return {"op": "insertSections", "before": one, "sections": [{"id": f"{token}.{number}"}]} if len(view.sections) < 6 else {
            "op": "moveSection", "section": one, "after": None}
    if what == 2:
        return {"op": "reloadSections", "sections": [{"id": one, "content": {"header": token}}]}
    return {"op": "moveSection", "section": one, "before": chance.choice(view.sections)}


def _misfit(chance, view, items, token, number):
    one = chance.choice(items) if items else "nothing"
    return chance.choice([
        {"op": "deleteItems", "items": [f"{token}.never"]},
        {"op": "deleteItems", "items": [f"{token}.never"], "ifPresent": True},
        {"op": "appendItems", "items": [_item(token, number), {"id": one}]},
        {"op": "appendItems", "section": f"{token}.never", "items": [_item(token, number)]},
        {"op": "appendSections", "sections": [{"id": view.sections[0]}]},
        {"op": "moveItem", "item": one, "after": one},
    ])
