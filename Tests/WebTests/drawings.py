"""Compares pictures and accessibility trees of pages with stored ones, in Pictures and Trees."""

from __future__ import annotations

import base64
import difflib
import os
from pathlib import Path
from typing import Any

from fixture import REPOSITORY, Stage
from playwright.sync_api import Page

HERE = Path(__file__).resolve().parent
DRAWN = REPOSITORY / ".build/web/drawn"
#: Cells of 4×4 pixels of a picture that may differ. Another version of Chromium smooths letters in another way.
CELLS_MAX = 12
#: The difference of a cell's mean colour, of 255, from which on it counts.
DIFFERENCE = 12

COMPARE = """async ([before, after, difference]) => {
    const pixels = async data => {
        const picture = await createImageBitmap(await (await fetch('data:image/png;base64,' + data)).blob());
        const context = new OffscreenCanvas(picture.width, picture.height).getContext('2d');
        context.drawImage(picture, 0, 0);
        return context.getImageData(0, 0, picture.width, picture.height);
    };
    const [one, other] = [await pixels(before), await pixels(after)];
    if (one.width != other.width || one.height != other.height) return -1;
    let cells = 0;
    for (let top = 0; top < one.height; top += 4) {
        for (let left = 0; left < one.width; left += 4) {
            const sums = [0, 0, 0];
            for (let y = top; y < Math.min(top + 4, one.height); y++) {
                for (let x = left; x < Math.min(left + 4, one.width); x++) {
                    const at = 4 * (y * one.width + x);
                    for (const channel of [0, 1, 2]) sums[channel] += one.data[at + channel] - other.data[at + channel];
                }
            }
            if (sums.some(sum => Math.abs(sum) / 16 > difference)) cells++;
        }
    }
    return cells;
}"""


def differing_cells(before: bytes, after: bytes) -> int:
    """The number of cells in which two pictures differ; -1 if their sizes differ."""
    page = Stage.shared().browser.new_page()
    try:
        encoded = [base64.b64encode(picture).decode() for picture in (before, after)]
        return page.evaluate(COMPARE, [*encoded, DIFFERENCE])
    finally:
        page.close()


def check_picture(page: Page, name: str, stored: Path | None = None) -> str | None:
    """The reason why the page does not look as in the stored picture; None if it does."""
    picture = page.screenshot(animations="disabled", caret="hide")
    stored = stored or HERE / "Pictures" / f"{name}.png"
    if os.environ.get("DIFFABLED_DRAW"):
        if not stored.exists() or differing_cells(stored.read_bytes(), picture) != 0:
            stored.parent.mkdir(exist_ok=True)
            stored.write_bytes(picture)
        return None
    if not stored.exists():
        return f"there is no picture {stored.name}: scripts/test-web --draw"
    cells = differing_cells(stored.read_bytes(), picture)
    if 0 <= cells <= CELLS_MAX:
        return None
    DRAWN.mkdir(parents=True, exist_ok=True)
    (DRAWN / stored.name).write_bytes(picture)
    return f"{stored.name} differs in {cells} cells: compare {DRAWN / stored.name}, then run scripts/test-web --draw"


#: Properties of a node that assistive technology reads.
PROPERTIES = (
    "level", "expanded", "selected", "checked", "disabled", "multiselectable", "hasPopup", "live", "orientation", "readonly",
    "valuetext", "valuenow", "keyshortcuts", "roledescription", "modal", "focused", "activedescendant")


def accessibility_tree(page: Page) -> str:
    """The tree that Chromium gives to assistive technology, a line for each node."""
    session = page.context.new_cdp_session(page)
    try:
        nodes: list[dict[str, Any]] = session.send("Accessibility.getFullAXTree")["nodes"]
    finally:
        session.detach()
    by_id = {node["nodeId"]: node for node in nodes}
    lines: list[str] = []

    def add(node: dict[str, Any], depth: int, above: str) -> None:
        role = node.get("role", {}).get("value", "")
        name = str(node.get("name", {}).get("value", ""))
        children = [by_id[id] for id in node.get("childIds", []) if id in by_id]
        # A text that is the name of its element is said once.
        is_shown = not node["ignored"] and role not in ("none", "generic", "InlineTextBox") and not (
            role == "StaticText" and name.strip() in above)
        if is_shown:
            facts = [f'{fact["name"]}={fact["value"].get("value")}' for fact in node.get("properties", [])
                     if fact["name"] in PROPERTIES and fact["value"].get("value") not in (None, "", False, "off")
                     or fact["name"] in ("expanded", "selected") and fact["value"].get("value") is False]
            value = node.get("value", {}).get("value")
            description = node.get("description", {}).get("value")
            lines.append("  " * depth + " ".join([
                role, *([f'"{name}"'] if name else []), *([f"= {value}"] if value not in (None, "") else []),
                *([f"({description})"] if description else []), *sorted(facts)]))
        if role == "InlineTextBox" or role == "StaticText":
            return
        for child in children:
            add(child, depth + is_shown, name or above)

    add(nodes[0], 0, "")
    return "\n".join(lines) + "\n"


def check_tree(page: Page, name: str) -> str | None:
    """How the page's accessibility tree differs from the stored one; None if it does not."""
    tree = accessibility_tree(page)
    stored = HERE / "Trees" / f"{name}.txt"
    if os.environ.get("DIFFABLED_DRAW"):
        stored.parent.mkdir(exist_ok=True)
        stored.write_text(tree)
        return None
    if not stored.exists():
        return f"there is no tree {stored.name}: scripts/test-web --draw"
    expected = stored.read_text()
    if tree == expected:
        return None
    return "\n".join(difflib.unified_diff(expected.splitlines(), tree.splitlines(), f"Trees/{stored.name}", "now", lineterm=""))
