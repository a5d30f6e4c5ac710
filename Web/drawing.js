// Follows a list and draws the rows that are on the screen. What the keys, the mouse and the fingers do is in the classes above
// this one: acting.js and pointing.js.

import {cell, itemLook, listLook, sectionLook, standardColumns} from "./appearance.js";
import {draw, make, reserve} from "./draw.js";
import {Place} from "./place.js";
import {search} from "./query.js";
import {fitColumns, follow, frameAt, layOut, shapeOf, stops, stripGap} from "./rows.js";

/** Rows of the longest list that is followed as a whole. */
const wholeMax = 2000;
const slideTime = 280;
const guardTime = 200;
const restTime = 120;

const canvas = document.createElement("canvas").getContext("2d");
const isSame = (a, b) => a && a.length == b.length && a.every((value, index) => value === b[index]);
const isReduced = matchMedia("(prefers-reduced-motion: reduce)");

export class Drawing {
  place = new Place();
  shape = {rows: [], sections: [], byKey: new Map(), mirror: {items: new Map()}};
  frames = [];
  bands = [];
  at = new Map();
  elements = new Map();
  strips = new Map();
  heights = new Map();
  usual = {};
  looks = new Map();
  slots = new Map();
  tables = new Map();
  own = new Set();
  moved = new Set();
  marks = new Set();
  toggled = new Set();
  closed = new Set();
  query = {};
  mode = {kind: "rows"};
  followsTop = true;
  waiting = 0;
  groups = [];
  userLook = undefined;

  constructor(host, ui) {
    Object.assign(this, {host, ui, scroller: ui.scroller, box: ui.box});
    this.scroller.addEventListener("scroll", () => this.scrolled(), {passive: true});
    this.scroller.addEventListener("scrollend", () => this.rest());
    new ResizeObserver(() => this.resized()).observe(this.scroller);
  }

  // Following

  start(connection, list, options) {
    this.leave();
    Object.assign(this, {connection, list}, options);
    this.window = {offset: 0, limit: wholeMax};
    this.cursor = undefined;
    this.isLoaded = false;
    this.following = connection.follow(list, {view: this.view(), minInterval: this.minInterval,
      onUpdate: update => this.update(update), onEnd: error => this.ended(error)});
  }

  leave() {
    this.following?.stop();
    this.following = undefined;
  }

  get content() { return this.following?.mirror.content; }
  get isWhole() { return this.window.limit >= wholeMax; }
  get isFiltered() { return !!(this.query.search || this.query.where); }

  view() {
    const {where, sort} = this.query;
    const {baseView = {}} = this;
    const conditions = [baseView.where, where].filter(Boolean);
    return {...baseView, ...conditions.length && {where: conditions.length > 1 ? {and: conditions} : conditions[0]},
      ...this.query.search && {search: this.searchView()}, ...sort?.length && {sort},
      ...this.isFiltered ? {} : {expansion: "own", toggled: [...this.toggled], folded: true}, window: this.window};
  }

  searchView() {
    const tables = this.shape.sections.filter(section => this.look(section).layout?.type == "table");
    const columns = tables.flatMap(section => this.columns(section).map(column => column.path));
    if (!this.isWhole && tables.length && tables.length < this.shape.sections.length) return this.query.search;
    return search(this.query.search, this.content, this.userLook, columns, !tables.length || tables.length < this.shape.sections.length);
  }

  /** Asks for the view that is wanted now. */
  askAgain() {
    this.isAsking = true;
    this.following?.setView(this.view()).catch(error => this.say(error.message, true)).finally(() => {
      this.isAsking = false;
      this.askForRows();
    });
  }

  /** Shows other items, or another order. */
  filter(query) {
    Object.assign(this.query, query);
    this.closed.clear();
    this.isOther = true;
    this.window = {offset: 0, limit: wholeMax};
    this.askAgain();
    this.showQuery();
  }

  get isSearching() { return !!this.isOther; }

  update(update) {
    const {inserted, deleted, moved, changed, sections, list, isView} = update;
    for (const ids of [inserted, changed]) for (const id of ids) this.looks.delete(id);
    for (const id of moved) this.moved.add(id);
    if (list || sections.size) this.forget(list);
    const isStructural = inserted.size + deleted.size + moved.size + sections.size > 0;
    if (isStructural && !isView) {
      this.groups = [...this.groups.filter(time => time > performance.now() - 1000), performance.now()];
      if (this.isHeld) this.waiting += 1;
    }
    this.fresh = isView ? undefined : new Set([...this.fresh ?? [], ...inserted]);
    if (isView && this.isOther) {
      this.isOther = false;
      this.showsOther = true;
    }
    this.isOtherWindow ||= isView;
    this.isDirty = true;
    this.ended();
    this.host.dispatchEvent(new CustomEvent("update", {detail: update}));
    this.schedule();
  }

  forget(isAll) {
    this.looks.clear();
    this.sectionLooks = new Map();
    if (isAll) {
      this.listLook = listLook(this.content, this.userLook);
      this.slots.clear();
      this.showHead();
    }
    this.tables.clear();
  }

  ended(error) {
    this.absence = error?.message;
    this.showBanner();
  }

  /** Whether the structure stays, because an overlay concerns certain rows. */
  get isHeld() { return this.isPaused || !["rows", "typing"].includes(this.mode.kind); }

  schedule() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = undefined;
      this.paint();
    });
  }

  // Looks

  look(section) {
    let look = this.sectionLooks?.get(section.id);
    if (!look) {
      look = sectionLook(section.content, this.content, this.userLook);
      (this.sectionLooks ??= new Map()).set(section.id, look);
    }
    return look;
  }

  itemLook(row) {
    let look = this.looks.get(row.id);
    if (!look) this.looks.set(row.id, look = itemLook(row.item, row.section.content, this.content, this.userLook));
    return look;
  }

  sectionSlots(section) {
    let slots = this.slots.get(section.id);
    if (!slots) {
      this.slots.set(section.id, slots = {});
      for (const row of section.rows.slice(0, 32)) reserve(slots, this.itemLook(row), row, this.isEditing);
    }
    return slots;
  }

  /** The columns of a table, with the widths that they have now. */
  columns(section) {
    let table = this.tables.get(section.id);
    const {pad, width} = this.bands.find(band => band.section == section)?.place ?? {pad: 0, width: this.place.width};
    if (!table || table.sampled < Math.min(section.rows.length, 32)) {
      const rows = section.rows.slice(0, 32);
      const columns = (this.look(section).columns ?? standardColumns(rows.map(row => row.item))).slice(0, 64).map((column, index) => {
        const cells = rows.map(row => cell(column.path, row.item, this.itemLook(row)));
        const isNumber = cells.length > 0 && cells.every(cell => cell.isNumber !== false);
        const natural = Math.max(this.textWidth(column.title) * 1.1, ...cells.map(cell => this.textWidth(cell.text)));
        return {...column, align: column.align ?? (isNumber ? "right" : "left"), isFixed: !!column.width,
          natural: column.width ? column.width * 8 : Math.min(Math.ceil(natural) + (index ? 2 : this.frontWidth(section)), 400)};
      });
      table?.columns.forEach((old, index) => {
        const column = columns[index];
        if (column?.path == old.path && !column.isFixed) column.natural = Math.max(column.natural, old.natural);
      });
      table = {columns, sampled: rows.length, passed: table?.passed ?? 0};
      this.tables.set(section.id, table);
    }
    if (table.width != width || table.isWider) {
      const {columns} = table;
      const slots = this.sectionSlots(section);
      const tail = (slots.badge ? slots.badge * 9 + 32 : 0) + (slots.bar ? 200 : 0) + (slots.end ? slots.end * 9 + 16 : 0);
      table.passed = Math.max(Math.min(table.passed, columns.length - 2), 0);
      const widths = fitColumns(columns.map(column => column.natural), columns.map(column => column.isFixed),
        columns.map(column => column.align == "left"), width - 2 * pad - tail, table.passed);
      table.columns = columns.map((column, index) => ({...column, px: widths[index]}));
      table.isCut = table.passed < columns.length - 2 && columns.some((column, index) => index > table.passed && widths[index] < column.natural);
      table.isPassed = table.passed > 0;
      Object.assign(table, {width, isWider: false});
    }
    return table.columns;
  }

  frontWidth(section) {
    const slots = this.sectionSlots(section);
    return 28 * ((slots.disclosure ?? 0) + (slots.check ?? 0) + (slots.icon ?? 0)) + (section.rows.some(row => row.isParent) ? 72 : 0) + 4;
  }

  textWidth(text) {
    canvas.font = this.font ??= getComputedStyle(this.scroller).font;
    return canvas.measureText(text).width;
  }

  /** Shows further columns of the table that the cursor is in. Returns whether there is one. */
  passColumns(by, section = this.row?.section ?? this.bands.find(band => band.titles)?.section) {
    const table = section && this.tables.get(section.id);
    if (!table || (by > 0 ? !table.isCut : !table.isPassed)) return false;
    Object.assign(table, {passed: table.passed + by, isWider: true});
    this.schedule();
    return true;
  }

  // Places

  get row() { return this.shape.byKey.get(this.cursor); }
  get screenTop() { return this.place.top + this.pinHeight; }
  pinHeight = 0;

  frameOf(key) { return this.at.get(key); }

  /** What keeps its place on the screen: the cursor's row, or else the first visible row. */
  anchor() {
    const {top, screen} = this.place;
    if (this.followsTop) return {top: 0};
    const own = this.frameOf(this.cursor);
    if (own && own.y >= top && own.y < top + screen) return {key: this.cursor, line: own.y - top};
    const index = frameAt(this.frames, top + this.pinHeight);
    const frame = this.frames.slice(index, index + 4).find(frame => frame.row || frame.rows || frame.kind == "missing") ?? this.frames[index];
    if (!frame) return {top};
    if (frame.kind != "missing") return {key: frame.rows?.[0].key ?? frame.key, line: frame.y - top};
    const before = frame.key == "before" ? 0 : this.shown.offset + this.shape.rows.length;
    return {index: before + Math.floor((top - frame.y) / this.unit), line: (frame.y - top) % this.unit};
  }

  /** The place of a row by its number in the whole list. */
  yOf(index) {
    const {offset} = this.shown;
    const {rows} = this.shape;
    if (index < offset) return index * this.unit;
    if (index < offset + rows.length) return this.frameOf(rows[index - offset].key)?.y ?? 0;
    return (this.frameOf("after")?.y ?? this.place.height) + (index - offset - rows.length) * this.unit;
  }

  goTo({key, index, line, top}) {
    const y = top ?? (index === undefined ? this.frameOf(key)?.y : this.yOf(index));
    if (y === undefined) return;
    this.setTop(top ?? y - line);
  }

  setTop(top) {
    const before = this.place.top;
    const offset = this.place.go(top);
    if (Math.abs(offset - this.scroller.scrollTop) > 0.5) this.scroller.scrollTop = offset;
    // A browser rounds it.
    if (!this.place.isLong) this.place.top = this.scroller.scrollTop; else this.place.shift = this.place.top - this.scroller.scrollTop;
    return this.place.top != before;
  }

  scrolled() {
    const offset = this.scroller.scrollTop;
    if (Math.abs(offset - this.place.offset) < 1) return;
    this.place.scrolled(offset);
    this.followsTop = this.place.top <= 0;
    this.scrolledAt = performance.now();
    this.draw();
    clearTimeout(this.resting);
    this.resting = setTimeout(() => this.rest(), 150);
  }

  /** Makes the scroll bar exact again, and orders the elements as the rows are. */
  rest() {
    if (this.place.isLong && this.mode.kind != "drag") {
      this.scroller.scrollTop = this.place.settle();
      this.place.shift = this.place.top - this.scroller.scrollTop;
      this.draw();
    }
    this.askForRows(true);
  }

  resized() {
    const {clientWidth: width, clientHeight: screen} = this.scroller;
    if (!width || (width == this.place.width && screen == this.place.screen)) return;
    if (width != this.place.width) this.heights.clear();
    Object.assign(this.place, {width, screen});
    this.isDirty = true;
    this.schedule();
  }

  // Painting

  get unit() { return this.usual.row ?? (this.rowHeight ??= parseFloat(getComputedStyle(this.host).getPropertyValue("--row")) || 36); }

  frameHeight(frame) {
    const known = this.heights.get(frame.key);
    if (known) return known;
    if (frame.kind == "strip") return frame.lines * 20 + 24;
    return this.usual[frame.kind] ?? {card: 72, empty: 240, footer: 30, titles: 33}[frame.kind] ?? this.unit;
  }

  layOut() {
    const {following, shape} = this;
    const {offset, total} = this.shown;
    const result = layOut(shape, {width: this.place.width, offset, total: Math.max(total, shape.rows.length), unit: this.unit, loading: !this.isLoaded,
      look: section => this.look(section), height: frame => this.frameHeight(frame),
      empty: this.isFiltered ? {text: "Nothing matches"} : this.listLook?.empty ?? {text: "Nothing here"}});
    Object.assign(this, result);
    this.place.height = result.height;
    this.stopsNow = undefined;
    this.at = new Map();
    for (const frame of this.frames) {
      this.at.set(frame.key, frame);
      for (const row of frame.rows ?? []) this.at.set(row.key, frame);
    }
    this.box.style.height = this.place.box + "px";
    this.scroller.setAttribute("aria-rowcount", result.count || -1);
  }

  get stops() { return this.stopsNow ??= stops(this.frames); }

  shown = {offset: 0, total: 0};

  paint() {
    const {following} = this;
    if (!following || !this.place.width) return;
    const before = this.shape;
    const anchor = this.anchor();
    const isFirst = !this.isLoaded;
    let wasChanged = false;
    if (this.isDirty && !this.isHeld) {
      const visible = this.visibleKeys();
      this.shown = {offset: following.offset, total: following.total};
      this.shape = shapeOf(following.mirror, id => this.closed.has(id));
      this.isTree = this.shape.rows.some(row => row.isParent);
      this.isLoaded = true;
      if (isFirst) this.forget(true);
      if (!isFirst) this.keep(before, anchor);
      this.sectionLooks = undefined;
      this.waiting = 0;
      wasChanged = !isFirst && !this.isOtherWindow && visible;
      this.isDirty = this.isOtherWindow = false;
      this.moved.clear();
    }
    const slides = wasChanged && this.mayAnimate();
    if (slides) {
      this.box.classList.add("slide");
      clearTimeout(this.sliding);
      this.sliding = setTimeout(() => this.box.classList.remove("slide"), slideTime + 20);
    } else this.box.classList.remove("slide");
    this.layOut();
    if (isFirst) this.cursor = this.drawnCursor = this.stops[0]?.key;
    this.newRows = slides ? this.fresh : undefined;
    this.fresh = undefined;
    if (this.showsOther) {
      this.showsOther = false;
      const place = this.returnTo;
      this.followsTop = !place || place.followsTop;
      this.returnTo = undefined;
      if (place && this.frameOf(place.cursor)) this.cursor = place.cursor;
      if (place && !this.followsTop) this.goTo(place.anchor); else this.setTop(0);
      if (this.cursor && !this.frameOf(this.cursor)) this.cursor = undefined;
      this.draw();
      if (this.cursor) this.reveal(this.cursor);
    } else {
      if (this.goTo(anchor) && slides) this.box.classList.remove("slide");
      this.draw();
    }
    if (wasChanged) this.guard(wasChanged);
    this.showStatus();
    this.askForRows();
  }

  /** Moves the cursor, the marks and the anchor to the rows of the new shape. */
  keep(before, anchor) {
    const {following, shape} = this;
    const isPart = !this.isWhole;
    const isOwn = id => this.own.has(id) && this.moved.has(id);
    const isElsewhere = key => isPart && key?.[0] == "i" && !shape.byKey.has(key) && following.pins?.get(key.slice(1)) !== null;
    const now = key => {
      if (key === undefined || isElsewhere(key)) return key;
      return follow(key, before, shape, isOwn);
    };
    const {cursor} = this;
    if (cursor) {
      this.isOwnMove = isOwn(cursor.slice(1));
      this.cursor = now(cursor);
      if (this.cursor?.[0] == "h" && !this.isStop(this.cursor)) this.cursor = this.nearest(before.byKey.get(cursor)?.place ?? 0);
    } else if (this.pending !== undefined) {
      const row = shape.rows[this.pending - following.offset];
      if (row) [this.cursor, this.pending] = [row.key, undefined];
    }
    if (anchor.key) anchor.key = cursor && anchor.key == cursor ? this.cursor : now(anchor.key);
    for (const id of this.marks) if (!shape.byKey.has("i" + id) && !isElsewhere("i" + id) && !following.mirror.items.has(id)) this.marks.delete(id);
  }

  isStop(key) {
    const section = this.shape.sections.find(section => "h" + section.id == key);
    return !!section && !!this.look(section).header?.actions;
  }

  nearest(place) {
    return this.shape.rows[Math.min(place, this.shape.rows.length - 1)]?.key;
  }

  mayAnimate() {
    return !isReduced.matches && this.groups.length <= 4 && performance.now() - (this.scrolledAt ?? -1e9) > 500 && !this.place.isLong;
  }

  visibleKeys() {
    const {top, screen} = this.place;
    return new Map(this.frames.slice(frameAt(this.frames, top), frameAt(this.frames, top + screen) + 1).map(frame => [frame.key, frame.y - top]));
  }

  /** Notes the rows that others have just moved: what the user does to them now was meant for other rows. */
  guard(before) {
    const now = performance.now();
    if (this.isOwnMove) return;
    for (const [key, line] of this.visibleKeys()) {
      const element = this.elements.get(key);
      if (element && before.get(key) !== line) element.movedAt = now;
    }
    if (this.cursor != this.drawnCursor) this.cursorMovedAt = now;
    this.drawnCursor = this.cursor;
  }

  /** Whether others have just put this row where it is. Then it flashes. */
  isUnseen(key) {
    const now = performance.now();
    const element = this.elements.get(key);
    if (!(now - element?.movedAt < guardTime || (key == this.cursor && now - this.cursorMovedAt < guardTime))) return false;
    element?.classList.remove("flash");
    void element?.offsetWidth;
    element?.classList.add("flash");
    this.say("Another row has just moved here: nothing was done");
    return true;
  }

  /** Draws the rows on the screen, measures them, and lays out again until all heights are known. */
  draw() {
    for (let round = 0; round < 4; round++) {
      const drawn = this.drawOnce();
      let isOther = false;
      for (const [key, element, kind, width] of drawn) {
        const height = element.firstElementChild?.offsetHeight;
        if (!height) continue;
        this.usual[kind] = kind == "card" ? this.usual[kind] ?? height : height;
        if (this.heights.get(key) !== height) {
          this.heights.set(key, height);
          isOther ||= this.frameOf(key)?.height !== height;
        }
      }
      if (!isOther) break;
      const anchor = this.anchor();
      this.layOut();
      this.goTo(anchor);
    }
    const active = this.elements.get(this.cursor);
    if (active) this.scroller.setAttribute("aria-activedescendant", active.id); else this.scroller.removeAttribute("aria-activedescendant");
    this.scroller.role = this.isTree ? "treegrid" : "grid";
    clearTimeout(this.ordering);
    this.ordering = setTimeout(() => this.order(), restTime);
  }

  drawOnce() {
    const {place, frames} = this;
    const margin = place.screen / 2;
    const wanted = new Map();
    for (let index = frameAt(frames, place.top - margin); frames[index]?.y < place.top + place.screen + margin; index++) {
      wanted.set(frames[index].key, frames[index]);
    }
    const own = this.frameOf(this.cursor);
    if (own) wanted.set(own.key, own);
    const drawn = [];
    const keys = new Set();
    for (const frame of wanted.values()) {
      keys.add(frame.key);
      const element = this.element(frame.key, this.box);
      this.put(element, frame, frame.x, frame.y - place.shift);
      if (frame.kind == "strip") this.drawStrip(element, frame, keys, drawn);
      else if (this.fill(element, frame)) drawn.push([frame.key, element, frame.kind, frame.width]);
    }
    for (const [key, element] of this.elements) {
      if (keys.has(key)) continue;
      element.remove();
      this.elements.delete(key);
    }
    this.pin();
    return drawn;
  }

  element(key, parent) {
    let element = this.elements.get(key);
    if (!element) {
      element = make("div");
      element.id = "r" + (this.lastID = (this.lastID ?? 0) + 1);
      element.key = key;
      this.elements.set(key, element);
      if (this.newRows?.has(key.slice(1))) element.isFresh = true;
    }
    if (element.parentNode != parent) parent.append(element);
    return element;
  }

  put(element, {key, kind, width, height, section, isFirst, isLast, row, rows, order, pad}, x, y) {
    const {style} = element;
    const transform = `translate(${x}px,${y}px)`;
    if (element.transform != transform) style.transform = element.transform = transform;
    if (element.width != width) style.width = (element.width = width) + "px";
    const fixed = kind == "card" || kind == "missing" || rows ? Math.min(height, 4e6) : undefined;
    if (element.fixed != fixed) style.height = (element.fixed = fixed) === undefined ? "" : fixed + "px";
    const look = section && this.look(section);
    const itemLook = row && this.itemLook(row);
    const name = [kind == "card" ? "card" : "line " + kind, look?.appearance ?? "plain", isFirst && "isFirst", isLast && "isLast",
      look?.separators && row && "separated", isFirst && look?.layout?.type == "table" && "afterTitles", element.isFresh && "fresh",
      !rows && key == this.cursor && "cursor", row && this.marks.has(row.id) && "marked", itemLook?.enabled === false && "off",
      this.mode.item === row?.id && this.mode.kind == "drag" && "lifted", rows && look.layout.snap].filter(Boolean).join(" ");
    if (element.name != name) element.className = element.name = name;
    if (kind == "missing") {
      element.setAttribute("aria-hidden", true);
      if (element.unit != this.unit) style.setProperty("--unit", (element.unit = this.unit) + "px");
      return;
    }
    if (pad && element.pad != pad) style.setProperty("--pad", (element.pad = pad) + "px");
    const role = rows ? "rowgroup" : "row";
    if (element.role != role) element.role = role;
    if (!rows && element.order != order) element.setAttribute("aria-rowindex", element.order = order);
    const isMarked = row && (look.selection ?? "single") != "none" ? this.marks.has(row.id) : null;
    if (element.isMarked !== isMarked && isMarked !== null) element.setAttribute("aria-selected", element.isMarked = isMarked);
  }

  /** Draws an element if its frame has changed. Returns whether it has. */
  fill(element, frame) {
    const {row, section, kind} = frame;
    let env = {isEditing: this.isEditing};
    let state = [frame.look, frame.width, this.isEditing];
    if (row) {
      const look = this.itemLook(row);
      const slots = this.sectionSlots(section);
      const swipe = this.mode.kind == "swipe" && this.mode.item == row.id ? this.mode : undefined;
      if (kind == "row") reserve(slots, look, row, this.isEditing);
      const columns = frame.table ? this.columns(section) : undefined;
      const isMarked = this.marks.has(row.id);
      env = {...env, look, row, slots, columns, swipe, isMarked, isTree: this.isTree};
      state = [look, frame.width, row.isOpen, row.isParent, row.level, row.index, this.isEditing, swipe, swipe?.selected, isMarked, columns, this.isTree,
        kind == "row" && Object.values(slots).join()];
    } else if (kind == "titles") {
      const columns = this.columns(section);
      state = [columns];
      env = this.tables.get(section.id);
    }
    if (isSame(element.state, state)) return false;
    element.state = state;
    draw(element, frame, env);
    return true;
  }

  /** Draws the cards of a carousel that are on the screen. */
  drawStrip(element, frame, keys, drawn) {
    const {rows, card, pad, key, width} = frame;
    let strip = this.strips.get(key);
    if (element.strip != strip || !strip) {
      strip = element.strip = {run: make("div", "run"), left: strip?.left ?? 0};
      strip.run.role = "none";
      element.tabIndex = 0;
      this.strips.set(key, strip);
      element.replaceChildren(strip.run);
      element.addEventListener("scroll", () => {
        strip.left = element.scrollLeft;
        this.schedule();
      }, {passive: true});
      element.addEventListener("wheel", event => {
        if (!event.shiftKey || event.deltaX) return;
        element.scrollLeft += event.deltaY;
        event.preventDefault();
      });
    }
    const step = card + stripGap;
    strip.run.style.width = rows.length * step - stripGap + 2 * pad + "px";
    element.style.scrollPaddingInline = pad + "px";
    if (strip.reveal !== undefined) {
      const x = strip.reveal * step;
      strip.left = Math.min(Math.max(strip.left, x + card + 2 * pad - width), x);
      strip.reveal = undefined;
    }
    if (Math.abs(element.scrollLeft - strip.left) > 1) element.scrollLeft = strip.left;
    const perPage = Math.max(Math.floor((width - 2 * pad + stripGap) / step), 1);
    const from = Math.max(Math.floor((strip.left - width) / step), 0);
    const shown = rows.slice(from, Math.ceil((strip.left + 2 * width) / step) + 1);
    shown.forEach((row, offset) => {
      const index = from + offset;
      const part = {...frame, key: row.key, kind: "card", row, rows: undefined, x: 0, width: card, order: frame.order + index};
      keys.add(row.key);
      const child = this.element(row.key, strip.run);
      this.put(child, part, pad + index * step, 0);
      child.classList.toggle("stop", index % perPage == 0);
      this.fill(child, part);
    });
  }

  /** The header that stays at the top, and that the next one pushes away. */
  pin() {
    const {top} = this.place;
    const {pin} = this.ui;
    const band = this.bands.findLast(band => band.start < top);
    const frames = band?.pins && top > 0 && band.end > top ? [band.header, band.titles].filter(Boolean) : [];
    const height = frames.reduce((sum, frame) => sum + frame.height, 0);
    const push = band ? Math.min(band.end - top - height, 0) : 0;
    this.pinHeight = frames.length ? height + push : 0;
    let y = push;
    while (pin.children.length > frames.length) pin.lastChild.remove();
    frames.forEach((frame, index) => {
      const element = pin.children[index] ?? pin.appendChild(make("div"));
      element.className = `line ${frame.kind} ${this.look(band.section).appearance ?? "plain"}`;
      element.style.width = frame.width + "px";
      element.style.transform = `translate(${frame.x}px,${y}px)`;
      element.key = frame.key;
      this.fill(element, frame);
      y += frame.height;
    });
  }

  order() {
    let last = null;
    for (const frame of this.frames) {
      const element = this.elements.get(frame.key);
      if (!element) continue;
      const next = last ? last.nextSibling : this.box.firstChild;
      if (next != element) this.box.moveBefore ? this.box.moveBefore(element, next) : this.box.insertBefore(element, next);
      last = element;
    }
  }

  /** Moves a row into the visible part of the screen. */
  reveal(key) {
    const frame = this.frameOf(key);
    if (!frame) return;
    const {top, screen} = this.place;
    const band = this.bands.find(band => band.section == frame.section);
    const under = band?.pins && frame != band.header ? (band.header?.height ?? 0) + (band.titles?.height ?? 0) : 0;
    const index = frame.rows?.findIndex(row => row.key == key);
    if (index >= 0) (this.strips.get(frame.key) ?? {}).reveal = index;
    if (frame.y - under < top) this.setTop(frame.order == 1 || frame.y - under < 40 ? 0 : frame.y - under);
    else if (frame.y + frame.height > top + screen) this.setTop(frame.y + frame.height - screen + 8);
    if (this.place.top > 0) this.followsTop = false;
    this.draw();
    clearTimeout(this.resting);
    this.resting = setTimeout(() => this.rest(), 150);
  }

  isVisible(key) {
    const frame = this.frameOf(key);
    const {top, screen} = this.place;
    return !!frame && frame.y + frame.height > this.screenTop && frame.y < top + screen;
  }

  // Windows

  /** In a list that is too long to be followed as a whole, asks for the rows around the screen. */
  askForRows(isAtRest = false) {
    const {following, place} = this;
    if (!following || !this.isLoaded || this.isAsking || this.isDirty || this.absence) return;
    const {total, offset} = this.shown;
    if (total <= wholeMax) {
      if (this.isWhole) return;
      this.window = {offset: 0, limit: wholeMax};
      return this.askAgain();
    }
    const screen = Math.max(Math.ceil(place.screen / this.unit), 10);
    const {rows} = this.shape;
    const first = this.numberAt(place.top), last = this.numberAt(place.top + place.screen);
    const end = offset + rows.length;
    const isShort = (first - offset < 2 * screen && offset > 0) || (end - last < 2 * screen && end < total);
    const ids = [...this.frames.slice(frameAt(this.frames, place.top), frameAt(this.frames, place.top + place.screen))].flatMap(frame => frame.row ? [frame.row.id] : []);
    const pins = [...this.cursor?.[0] == "i" ? [this.cursor.slice(1)] : [], ...this.marks].slice(0, 256);
    const keep = this.followsTop ? [] : [...pins.slice(0, 1), ...ids].slice(0, 64);
    const start = Math.max(Math.min(first - 4 * screen, total - 9 * screen), 0);
    const next = {offset: this.isWhole || isShort ? start : this.window.offset, limit: 9 * screen, allSections: true, ...keep.length && {keep}, ...pins.length && {pins}};
    // What is asked for already, but for what moved since.
    const isKept = !isAtRest || isSame(this.window.keep ?? [], keep);
    if (!isShort && !this.isWhole && isSame(this.window.pins ?? [], pins) && isKept && this.window.limit == next.limit) return;
    if (!isShort && !this.isWhole) next.offset = offset;
    this.window = next;
    this.askAgain();
  }

  /** The number of the row at a place. */
  numberAt(y) {
    const frame = this.frames[Math.min(frameAt(this.frames, y), this.frames.length - 1)];
    if (!frame) return 0;
    if (frame.kind == "missing") {
      const before = frame.key == "before" ? 0 : this.shown.offset + this.shape.rows.length;
      return before + Math.min(Math.max(Math.floor((y - frame.y) / this.unit), 0), frame.count - 1);
    }
    const row = frame.row ?? frame.rows?.[0];
    if (row) return this.shown.offset + row.place;
    const section = frame.section;
    return this.shown.offset + (section ? Math.max(section.count - (frame.kind == "header" || frame.kind == "titles" ? section.rows.length : 1), 0) : 0);
  }
}
