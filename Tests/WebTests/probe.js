// What a test sees of the first <diffable-list> of a page, by parts, roles and `aria` attributes.
globalThis.probe = {
  get list() { return document.querySelector("diffable-list"); },
  get root() { return this.list?.shadowRoot; },

  /** The element that scrolls. */
  get scroller() {
    const all = [this.list, ...this.root.querySelectorAll("*")];
    return all.find(element => /auto|scroll/.test(getComputedStyle(element).overflowY) && element.scrollHeight > element.clientHeight) ?? this.list;
  },

  /** The rows in the document, from top to bottom. */
  rows() {
    const {top, bottom} = this.list.getBoundingClientRect();
    return [...this.root.querySelectorAll("[part~=row], [part~=header]")].map(row => {
      const box = row.getBoundingClientRect();
      return {
        text: (row.querySelector(".text") ?? row).textContent.trim(), all: row.textContent.replace(/\s+/g, " ").trim(),
        index: Number(row.ariaRowIndex), level: Number(row.ariaLevel) || undefined, expanded: row.ariaExpanded ?? undefined,
        selected: row.ariaSelected ?? undefined, isHeader: row.part.contains("header"),
        isVisible: box.bottom > top && box.top < bottom && box.height > 0, x: box.x, y: box.y, width: box.width, height: box.height,
      };
    }).sort((a, b) => a.y - b.y || a.x - b.x);
  },

  /** The row at a height of the screen, if there is one and it has text. */
  rowAt(y) {
    const {x, width} = this.list.getBoundingClientRect();
    const row = this.root.elementFromPoint(x + width / 2, y)?.closest("[part~=row]");
    return row?.textContent.trim() ? row : undefined;
  },

  /** The share of the screen's height that has no row. */
  blank() {
    const {top, height} = this.scroller.getBoundingClientRect();
    let missing = 0;
    for (let part = 0; part < 12; part++) if (!this.rowAt(top + (part + 0.5) * height / 12)) missing++;
    return missing / 12;
  },

  /** The time after the next frame. */
  painted() {
    return new Promise(resolve => requestAnimationFrame(() => {
      const {port1, port2} = new MessageChannel();
      port1.onmessage = () => resolve(performance.now());
      port2.postMessage(0);
    }));
  },
};
