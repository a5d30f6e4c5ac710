// Moves the cursor and acts on rows, by the rules of docs/viewer.md. An action applies to the rows that were on the screen, now
// or not at all: nothing is queued.

import {clean, textPath} from "./appearance.js";
import {Drawing} from "./drawing.js";
import {actionTitle, make, disclosure} from "./draw.js";
import {condition, order} from "./query.js";
import {siblings} from "./rows.js";

/** Rows that were taken with Ctrl-X, in any list of the page. */
let taken;

const fold = text => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

/** Operations with an item's id in place of "$item". */
function filled(value, id) {
  if (value === "$item") return id;
  if (Array.isArray(value)) return value.map(value => filled(value, id));
  return value && typeof value == "object" ? Object.fromEntries(Object.entries(value).map(([name, value]) => [name, filled(value, id)])) : value;
}

const hasItem = value => JSON.stringify(value).includes('"$item"');

/** An object in which a pointer leads to a value. */
const standing = (value, pointer) => pointer.split("/").slice(1).reduceRight(
  (value, name) => ({[name.replaceAll("~1", "/").replaceAll("~0", "~")]: value}), value);

const help = [["↑ ↓", "previous, next row"], ["← →", "collapse, expand"], ["g G", "first, last row"], ["Tab", "next section"], ["/", "search"], ["n N", "next, previous match"],
  ["w s", "condition, order"], ["Enter", "the row's main action"], [". :", "actions of the row, of the list"], ["> <", "actions at the row's front, end"], ["Space v", "mark a row, a range"],
  ["Alt-↑ Alt-↓", "move the row"], ["Ctrl-X Ctrl-V", "take rows, put them"], ["+ e", "new row, edit"], ["E", "accessories for editing"], ["u U", "undo, redo"], ["y", "copy the text"], ["p", "pause"]];

/** Keys that the list uses itself: no action gets them. */
const ownKeys = " vkjhlgG.:></wsnNuUyeE+p?";

export class Acting extends Drawing {
  done = [];
  undone = [];
  alike = new Map();

  // Words

  say(text, isRefusal = false) {
    const {note} = this.ui;
    note.textContent = clean(text);
    note.classList.toggle("refused", isRefusal);
    clearTimeout(this.silence);
    this.silence = setTimeout(() => { note.textContent = ""; this.showStatus(); }, isRefusal ? 8000 : 3000);
    if (isRefusal) this.host.dispatchEvent(new CustomEvent("refused", {detail: {message: text}}));
  }

  /** Says what waits, when nothing else is said. */
  showStatus() {
    const {note} = this.ui;
    if (note.textContent && note.isNews !== false) return;
    const parts = [this.isPaused && "paused", this.isHeld && this.waiting > 0 && `${this.waiting} ${this.waiting == 1 ? "change" : "changes"} waiting`].filter(Boolean);
    note.textContent = parts.join(", ");
    note.isNews = !parts.length;
  }

  subject(items) {
    if (items.length != 1) return items.length ? `${items.length} items` : "";
    const row = this.shape.byKey.get("i" + items[0]);
    const text = row ? this.itemLook(row).text : clean(items[0]);
    return `“${text.length > 60 ? text.slice(0, 59) + "…" : text}”`;
  }

  // Whether something is allowed

  may(right) { return !this.readonly && (this.following?.may?.includes(right) ?? true); }

  mayChange(right = "ask") {
    if (this.connection.state && this.connection.state != "open") return this.say("There is no connection to the server: nothing was done"), false;
    if (this.absence) return this.say(`${this.absence}: nothing was done`), false;
    if (!this.may(right)) return this.say("You can only look at this list: nothing was done"), false;
    return true;
  }

  /** Whether the cursor's row is on the screen. If it is not, it is shown, and nothing else happens. */
  showsCursor() {
    if (this.isSearching) return this.say("The list is still being searched: nothing was done"), false;
    if (!this.cursor) return false;
    if (this.isVisible(this.cursor)) return true;
    this.reveal(this.cursor);
    return false;
  }

  mayTouch() { return this.showsCursor() && !this.isUnseen(this.cursor); }
  mayAct(right) { return this.mayChange(right) && this.mayTouch(); }

  mayMove(items, target) {
    const rows = items.map(id => this.shape.byKey.get("i" + id)).filter(Boolean);
    for (let row = this.shape.byKey.get("i" + target); row; row = row.parent) {
      if (items.includes(row.id)) return this.say("A row cannot be moved next to itself or below itself: select another row"), false;
    }
    if (this.query.sort?.length) return this.say("Rows cannot be moved while they are sorted: s, then Enter, ends the sorting"), false;
    if (rows.some(row => !this.itemLook(row).canReorder)) return this.say("This row cannot be moved: set canReorder in the list's content"), false;
    return true;
  }

  // The cursor

  goToRow(key) {
    if (!key) return;
    this.cursor = this.drawnCursor = key;
    this.cursorMovedAt = 0;
    this.pending = undefined;
    this.reveal(key);
    if (this.mode.kind == "range") this.markRange();
    const row = this.row;
    if (row && this.itemLook(row).tooltip) this.say(this.itemLook(row).tooltip);
  }

  get stop() { return this.stops.find(stop => stop.key == this.cursor); }

  /** The first stop on the screen. */
  get firstVisible() { return this.stops.find(stop => stop.frame.y >= this.screenTop - 1) ?? this.stops[0]; }

  /** Goes up or down by lines. */
  step(by) {
    const {stops, stop} = this;
    if (!stop) {
      const number = this.cursor && this.following.pins?.get(this.cursor.slice(1));
      return number != null ? this.goToNumber(number + by) : this.goToRow(this.firstVisible?.key);
    }
    const lines = [...new Set(stops.map(stop => stop.line))];
    const index = lines.indexOf(stop.line) + by;
    if (index < 0 || index >= lines.length) {
      const missing = this.frameOf(by < 0 ? "before" : "after");
      if (missing) return this.goToNumber(this.shown.offset + (by < 0 ? -1 : this.shape.rows.length));
      if (by < 0 && this.place.top > 0) this.setTop(0), this.draw();
      return;
    }
    const x = other => Math.abs((other.x - (other.frame.rows ? this.strips.get(other.frame.key)?.left ?? 0 : 0)) - (stop.x - (stop.frame.rows ? this.strips.get(stop.frame.key)?.left ?? 0 : 0)));
    this.goToRow(stops.filter(stop => stop.line == lines[index]).sort((a, b) => x(a) - x(b))[0].key);
  }

  /** Goes to a row by its number in the whole list, loaded or not. */
  goToNumber(number) {
    number = Math.min(Math.max(number, 0), this.shown.total - 1);
    const row = this.shape.rows[number - this.shown.offset];
    if (row) return this.goToRow(row.key);
    [this.cursor, this.pending] = [undefined, number];
    this.followsTop = false;
    const y = this.yOf(number);
    const {top, screen} = this.place;
    if (y < top || y + this.unit > top + screen) this.setTop(y < top ? y - this.unit : y - screen + 2 * this.unit);
    this.draw();
    this.askForRows(true);
  }

  across(by) {
    const {stop, row} = this;
    if (!stop) return this.step(0);
    if (stop.frame.rows || stop.frame.kind == "card") {
      const next = this.stops[this.stops.indexOf(stop) + by];
      if (next?.line == stop.line || (next && stop.frame.kind == "card")) return this.goToRow(next.key);
    }
    if (!row) return;
    const isParent = row.isParent || this.itemLook(row).hasChildren;
    if (by > 0) {
      if (row.isOpen) return this.step(1);
      if (isParent) return this.expand(row, true);
    } else {
      if (row.isOpen) return this.expand(row, false);
      if (!this.passColumns(-1, row.section) && row.parent) this.goToRow(row.parent.key);
      return;
    }
    this.passColumns(by, row.section);
  }

  first() {
    this.followsTop = true;
    if (this.frameOf("before")) this.goToNumber(0);
    else { this.cursor = this.stops[0]?.key; this.setTop(0); this.goToRow(this.cursor); }
    this.followsTop = true;
  }

  last() {
    if (this.frameOf("after")) return this.goToNumber(this.shown.total - 1);
    this.goToRow(this.stops.at(-1)?.key);
    this.setTop(this.place.last);
    this.draw();
  }

  page(screens) {
    const {place, stop} = this;
    const line = stop ? stop.frame.y - place.top : this.pinHeight;
    this.followsTop = false;
    this.setTop(place.top + screens * (place.screen - 2 * this.unit));
    const y = place.top + Math.min(Math.max(line, 0), place.screen);
    const frame = this.frames[frameIndex(this.frames, y)];
    if (frame?.kind == "missing") return this.goToNumber(this.numberAt(y));
    const stops = this.stops;
    const isEnd = screens < 0 ? place.top <= 0 : place.top >= place.last - 1;
    const target = isEnd ? (screens < 0 ? stops[0] : stops.at(-1)) : stops.find(stop => stop.frame.y + stop.frame.height > y) ?? stops.at(-1);
    this.goToRow(target?.key);
  }

  section(by) {
    const {stops, stop} = this;
    const current = stop?.frame.section;
    const sections = [...new Set(stops.map(stop => stop.frame.section))];
    const target = sections[Math.max(sections.indexOf(current) + (stop ? by : 1), 0)];
    if (target) this.goToRow(stops.find(stop => stop.frame.section == target).key);
  }

  // Expansion

  expand(row, isOpen) {
    const look = this.itemLook(row);
    if (isOpen && !row.isParent && look.hasChildren) {
      if (this.mayAct("ask")) this.send("expand", {item: row.id}, "", [], `Children of ${this.subject([row.id])}`).then(result => {
        if (result && !this.shape.byKey.get(row.key)?.isOpen) this.toggle(row.id);
      });
      return;
    }
    if (!row.isParent || row.isOpen == isOpen) return;
    this.toggle(row.id);
  }

  toggle(id) {
    const set = this.isFiltered || !this.following.view.expansion ? this.closed : this.toggled;
    set.delete(id) || set.add(id);
    if (set == this.toggled) return this.askAgain();
    this.isDirty = true;
    this.schedule();
  }

  // Actions

  actionsOf(key) {
    const frame = this.frameOf(key);
    const row = this.shape.byKey.get(key);
    if (!row) return frame?.look?.actions ?? [];
    const {actions = [], leadingActions = [], trailingActions = []} = this.itemLook(row);
    const all = [...actions, ...leadingActions, ...trailingActions];
    return all.filter((action, index) => all.findIndex(other => other.id == action.id) == index);
  }

  targets(action) {
    const {row} = this;
    if (!row) return [];
    return action.multiple && this.marks.size ? this.orderedMarks : [row.id];
  }

  get orderedMarks() {
    return [...this.marks].sort((a, b) => (this.shape.byKey.get("i" + a)?.place ?? 0) - (this.shape.byKey.get("i" + b)?.place ?? 0));
  }

  /** Does what Enter does: the first primary action, or else expands, or else opens the menu. */
  activate() {
    if (this.mode.kind == "range") this.endRange(true);
    if (!this.showsCursor()) return;
    const {row, cursor} = this;
    if (cursor[0] == "m") return this.mayAct() && this.send("perform", {action: "more", section: cursor.slice(1)}, "More rows");
    const isEnabled = !row || this.itemLook(row).enabled !== false;
    if (row && this.isUnseen(cursor)) return;
    if (row && isEnabled && !this.host.dispatchEvent(new CustomEvent("choose", {cancelable: true, detail: {id: row.id, ids: this.marks.size ? this.orderedMarks : [row.id], item: row.item}}))) return;
    const actions = this.actionsOf(cursor);
    const primary = isEnabled && actions.find(action => action.style == "primary");
    if (primary && !this.readonly) return this.perform(primary);
    if (row && (row.isParent || this.itemLook(row).hasChildren)) return this.expand(row, !row.isOpen);
    if (!isEnabled) return this.say(`${this.subject([row.id])} is disabled: nothing was done`);
    if (actions.length && !this.readonly) this.openMenu();
  }

  rightFor(action) { return action.patch || action.operations ? "change" : "ask"; }

  perform(action, {items = this.targets(action), section = this.cursor?.[0] == "h" ? this.cursor.slice(1) : undefined, isForList} = {}) {
    if (!(isForList ? this.mayChange(this.rightFor(action)) : this.mayAct(this.rightFor(action)))) return;
    if (action.enabled === false) return this.say(`“${action.title}” is not available now: nothing was done`);
    const subject = this.subject(items);
    const title = [action.title, subject].filter(Boolean).join(" ");
    const run = () => this.carryOut(action, items, section, title);
    if (!action.confirm) return run();
    const question = action.confirm === true ? title + "?" : subject ? `${action.confirm} (${subject})` : action.confirm;
    this.ask(question, action, () => {
      if (this.isWhole && items.some(id => !this.following.mirror.items.has(id))) return this.say("Someone else has deleted the row in the meantime: nothing was done");
      run();
    });
  }

  carryOut(action, items, section, title) {
    const {patch, operations} = action;
    if (patch) this.send("transact", {operations: [{op: "patchItems", items: items.map(id => ({id, content: patch}))}]}, title, items);
    else if (operations) this.send("transact", {operations: hasItem(operations) ? items.flatMap(id => filled(operations, id)) : operations}, title, items);
    else this.send("perform", {action: action.id, ...section ? {section} : items.length && {items}, ...action.arguments !== undefined && {arguments: action.arguments}}, title, items);
    if (action.multiple) for (const id of items) this.marks.delete(id);
    this.schedule();
  }

  /** Sends a request of the user's own. Resolves to nothing if it was refused. */
  async send(method, params, title, items = []) {
    for (const id of items) this.own.add(id);
    try {
      const result = await this.connection.request(method, {list: this.list, ...params});
      if (typeof result?.result == "string") this.say(result.result); else if (title) this.say("Done: " + title);
      if (method != "undo" && result?.revision && result.changed !== false) {
        this.done.push({before: result.revision - 1, revision: result.revision, title});
        this.undone = [];
      }
      return result ?? {};
    } catch (error) {
      this.say(error.message, true);
    } finally {
      setTimeout(() => items.forEach(id => this.own.delete(id)), 1000);
    }
  }

  likeness(revision) { return this.alike.get(revision) ?? revision; }

  /** Undoes (or redoes) the user's own last change, unless someone else has changed the list since. */
  async undo(isRedo = false) {
    if (!this.mayChange("change")) return;
    const [from, to] = isRedo ? [this.undone, this.done] : [this.done, this.undone];
    const change = from.at(-1);
    if (!change) return this.say(`There is nothing to ${isRedo ? "redo" : "undo"} here`);
    const {revision} = this.following;
    const [now, then] = isRedo ? [change.before, change.revision] : [change.revision, change.before];
    if (this.likeness(now) != this.likeness(revision)) return this.say(`Someone else has changed the list since: nothing was ${isRedo ? "redone" : "undone"}`);
    from.pop();
    const result = await this.send("undo", {to: then, ifRevision: revision}, `${isRedo ? "Redo" : "Undo"} ${change.title}`);
    if (!result) return from.push(change);
    to.push(change);
    this.alike.set(result.revision, this.likeness(then));
  }

  // Overlays

  /** Shows a dialog. Nothing moves below it. */
  overlay(kind, content, key) {
    const {dialog} = this.ui;
    dialog.className = kind;
    dialog.replaceChildren(...content);
    this.mode = {kind, key};
    dialog.showModal();
    dialog.onclose = () => {
      this.mode = {kind: "rows"};
      this.scroller.focus();
      this.schedule();
    };
    return dialog;
  }

  close() {
    this.ui.dialog.close();
    this.mode = {kind: "rows"};
  }

  openMenu(point) {
    if (!this.showsCursor()) return;
    let actions = this.actionsOf(this.cursor);
    if (this.marks.size && this.row) actions = actions.filter(action => action.multiple);
    if (!actions.length) return this.openListMenu(point);
    if (this.isUnseen(this.cursor)) return;
    const frame = this.elements.get(this.cursor)?.getBoundingClientRect();
    this.menu(this.marks.size > 1 && this.row ? `${this.marks.size} items` : "", actions, point ?? {x: frame.left + 24, y: frame.bottom}, action => this.perform(action));
  }

  openListMenu(point) {
    const actions = this.listLook?.actions ?? [];
    if (!actions.length) return this.say("There are no actions here");
    const {right, bottom} = this.ui.head.getBoundingClientRect();
    this.menu(this.listLook.title, actions, point ?? {x: right - 260, y: bottom || 60}, action => this.perform(action, {items: [], section: null, isForList: true}));
  }

  menu(title, actions, {x, y}, choose) {
    const buttons = actions.map(action => {
      const key = action.key && !ownKeys.includes(action.key) ? make("kbd", "", action.key) : null;
      const button = make("button", "choice " + (action.style ?? ""), make("span", "", actionTitle(action)), key);
      button.role = "menuitem";
      button.disabled = action.enabled === false || !this.may(this.rightFor(action));
      button.onclick = () => { this.close(); choose(action); };
      button.action = action;
      return button;
    });
    const list = make("div", "", ...buttons);
    list.role = "menu";
    list.setAttribute("aria-label", title || "Actions");
    const dialog = this.overlay("menu", [title ? make("h3", "", title) : "", list]);
    const {width, height} = dialog.getBoundingClientRect();
    dialog.style.left = Math.max(Math.min(x, innerWidth - width - 8), 8) + "px";
    dialog.style.top = Math.max(y + height > innerHeight ? y - height - 44 : y, 8) + "px";
    dialog.onclick = event => event.target == dialog && this.close();
    dialog.onkeydown = event => {
      const enabled = buttons.filter(button => !button.disabled);
      const index = enabled.indexOf(this.host.shadowRoot.activeElement);
      const by = {ArrowDown: 1, j: 1, ArrowUp: -1, k: -1}[event.key];
      if (by) enabled.at((index + by) % enabled.length)?.focus();
      else if (event.key == "." || event.key == "q" || event.key == "ArrowLeft") this.close();
      else enabled.find(button => button.action.key == event.key)?.click();
      if (by) event.preventDefault();
      event.stopPropagation();
    };
  }

  /** Asks before an action. The first answer does nothing. */
  ask(question, action, then) {
    const no = make("button", "", "Cancel"), yes = make("button", action.style ?? "", action.title);
    no.onclick = () => this.close();
    yes.onclick = () => { this.close(); then(); };
    const dialog = this.overlay("question", [make("p", "", question), make("div", "buttons", no, yes)]);
    dialog.style.cssText = "";
    dialog.setAttribute("aria-label", question);
    dialog.onkeydown = event => {
      if (event.key == "y") yes.click(); else if (/^[nq]$/.test(event.key)) no.click();
      else if (/^Arrow/.test(event.key)) (this.host.shadowRoot.activeElement == no ? yes : no).focus();
      event.stopPropagation();
    };
  }

  showHelp() {
    const list = make("dl", "", ...help.flatMap(([keys, text]) => [make("dt", "", make("kbd", "", keys)), make("dd", "", text)]));
    const close = make("button", "", "Close");
    close.onclick = () => this.close();
    const dialog = this.overlay("help", [list, make("div", "buttons", close)]);
    dialog.style.cssText = "";
    dialog.setAttribute("aria-label", "Keys");
    dialog.onkeydown = event => { if (/^[?q]$/.test(event.key)) this.close(); event.stopPropagation(); };
  }

  /** Shows the actions at one end of the row under the cursor. */
  swipe(edge) {
    if (!this.showsCursor() || !this.row || this.readonly) return;
    const actions = this.itemLook(this.row)[edge + "Actions"];
    if (!actions) return this.say("This row has no actions on that side");
    if (this.isUnseen(this.cursor)) return;
    this.mode = {kind: "swipe", item: this.row.id, edge, actions, selected: 0};
    this.draw();
  }

  endSwipe(index) {
    const {actions} = this.mode;
    this.mode = {kind: "rows"};
    this.schedule();
    this.draw();
    if (actions?.[index]) this.perform(actions[index], {items: [this.row?.id].filter(Boolean)});
  }

  swipeKey(key) {
    const {mode} = this;
    const {actions, selected, edge} = mode;
    const by = {ArrowLeft: -1, h: -1, ArrowRight: 1, l: 1, Tab: 1}[key];
    const index = actions.findIndex(action => action.key == key);
    if (by) this.mode = {...mode, selected: Math.min(Math.max(selected + by, 0), actions.length - 1)};
    else return this.endSwipe(key == "Enter" || key == " " || key == {leading: ">", trailing: "<"}[edge] ? selected : index);
    this.draw();
  }

  // Marks

  selection(row) { return this.look(row.section).selection ?? "single"; }
  takesSeveral(row) { return this.selection(row) == "multiple" || this.actionsOf(row.key).some(action => action.multiple); }

  mark() {
    const {row} = this;
    if (this.mode.kind == "range") return this.endRange(true);
    if (!row || !this.mayTouch()) return;
    if (!this.marks.delete(row.id)) {
      if (this.selection(row) == "none") return this.say("No rows can be marked here: the list sets \"selection\":\"none\"");
      if (!this.takesSeveral(row)) this.marks.clear();
      this.marks.add(row.id);
    }
    if (this.takesSeveral(row)) this.step(1); else this.draw();
  }

  range() {
    if (this.mode.kind == "range") return this.endRange(true);
    const {row} = this;
    if (!row || !this.mayTouch()) return;
    if (!this.takesSeveral(row)) return this.say("Only one row at a time can be marked here");
    this.mode = {kind: "range", from: row.place, base: new Set(this.marks)};
    this.markRange();
  }

  markRange() {
    const {from, base} = this.mode;
    const to = this.row?.place ?? from;
    this.marks = new Set([...base, ...this.shape.rows.slice(Math.min(from, to), Math.max(from, to) + 1).map(row => row.id)]);
    this.draw();
  }

  endRange(isKept) {
    if (!isKept) this.marks = this.mode.base;
    this.mode = {kind: "rows"};
    this.draw();
    this.schedule();
  }

  escape() {
    if (this.mode.kind == "range") return this.endRange(false);
    if (this.query.search) {
      this.returnTo = this.here();
      this.returnTo.followsTop = false;
      return this.filter({search: ""});
    }
    this.marks.clear();
    this.draw();
  }

  here() { return {cursor: this.cursor, anchor: this.anchor(), followsTop: this.followsTop}; }

  // Moving rows

  reorder(by) {
    const {row} = this;
    if (!row || !this.mayMove([row.id]) || !this.mayAct()) return;
    const all = siblings(row);
    const target = all[Math.min(Math.max(row.index + by, 0), all.length - 1)];
    if (target == row) return this.say(by < 0 ? "This row is already the first" : "This row is already the last");
    this.proposeMove(row.id, by < 0 ? "before" : "after", target.id);
  }

  proposeMove(item, side, target) {
    return this.send("propose", {operations: [{op: "moveItem", item, [side]: target}]}, `Move ${this.subject([item])}`);
  }

  take() {
    if (!this.row || !this.mayAct()) return;
    const chosen = this.marks.size ? this.orderedMarks : [this.row.id];
    const rows = chosen.map(id => this.shape.byKey.get("i" + id)).filter(Boolean);
    const tops = rows.filter(row => { for (let above = row.parent; above; above = above.parent) if (chosen.includes(above.id)) return false; return true; });
    taken = {viewer: this, items: tops.map(row => row.id), copies: tops.map(row => row.item.snapshot?.())};
    for (const id of chosen) this.marks.delete(id);
    this.say(`${this.subject(taken.items)}: Ctrl-V puts ${taken.items.length == 1 ? "it" : "them"} after the selected row`);
    this.draw();
  }

  putRows() {
    if (!taken) return this.say("Nothing to put here: take the selected row or the marked rows with Ctrl-X first");
    const target = this.row?.id;
    if (!target || !this.mayAct()) return;
    const {viewer, items, copies} = taken;
    if (viewer.list != this.list) return this.send("propose", {operations: [{op: "insertItems", after: target, items: copies}]}, `Copy ${items.length == 1 ? "a row" : items.length + " rows"}`);
    if (!this.mayMove(items, target)) return;
    taken = undefined;
    this.send("propose", {operations: items.map((item, index) => ({op: "moveItem", item, after: items[index - 1] ?? target}))}, `Move ${this.subject(items)}`);
  }

  // Typing

  /** Opens a field for a search, a condition, an order or a new row. */
  type(kind, label, value, {changed, finish, cancel}) {
    const {prompt, input, promptLabel} = this.ui;
    if (this.mode.kind == "range") this.endRange(true);
    prompt.hidden = false;
    promptLabel.textContent = label;
    input.value = value;
    input.maxLength = 500;
    this.mode = {kind: "typing", finish, cancel};
    input.oninput = () => changed?.(input.value.trim());
    input.focus();
    input.select();
  }

  endTyping(isDone) {
    const {finish, cancel} = this.mode;
    if (this.mode.kind != "typing") return;
    try {
      if (isDone) finish(this.ui.input.value.trim()); else cancel?.();
    } catch (error) {
      return this.say(error.message);
    }
    this.mode = {kind: "rows"};
    this.ui.prompt.hidden = true;
    this.scroller.focus();
    this.showQuery();
    this.schedule();
  }

  search() {
    const before = this.query.search ?? "";
    const place = this.here();
    const changed = search => { if (search != (this.query.search ?? "")) this.filter({search}); };
    this.type("typing", "Search", before, {changed, finish: text => { changed(text); this.lastSearch = text || this.lastSearch; },
      cancel: () => { if ((this.query.search ?? "") != before) { this.returnTo = place; this.filter({search: before}); } }});
  }

  where() {
    this.type("typing", "Where", this.words?.where ?? "", {finish: text => {
      const where = text ? condition(text) : this.standard?.where;
      this.words = {...this.words, where: text};
      this.filter({where});
    }});
  }

  sort() {
    this.type("typing", "Sort by", this.words?.sort ?? "", {finish: text => {
      this.words = {...this.words, sort: text};
      this.filter({sort: text ? order(text) : this.standard?.sort});
    }});
  }

  match(by) {
    const words = fold(this.query.search || this.lastSearch || "").split(/\s+/).filter(Boolean);
    if (!words.length) return this.say("There is no search yet: / starts one");
    const {rows} = this.shape;
    const texts = row => fold([...Object.values(row.item.content ?? {}), row.item.content, this.itemLook(row).text].filter(value => /string|number/.test(typeof value)).join(" "));
    for (let index = (this.row?.place ?? -1) + by; rows[index]; index += by) {
      if (words.every(word => texts(rows[index]).includes(word))) return this.goToRow(rows[index].key);
    }
    this.say(by > 0 ? "No further match" : "No earlier match");
  }

  add() {
    const {row, cursor, shape} = this;
    const section = row?.section ?? shape.sections.find(section => /^[hm]/.test(cursor ?? "") && section.id == cursor.slice(1)) ?? shape.sections[0];
    const look = section ? this.look(section) : undefined;
    if (!this.mayChange()) return;
    if (!(look ? look.canInsert : this.content?.canInsert === true)) return this.say("No rows can be added here: set canInsert in the list's content");
    const before = row ?? (cursor?.[0] == "m" ? section.rows.at(-1) : undefined);
    const kind = before?.item.kind;
    const first = look?.layout?.type == "table" ? this.columns(section)[0]?.path : "";
    const path = first?.[0] == "/" ? first : textPath(kind, this.content, this.userLook);
    this.type("typing", "New row", "", {finish: text => {
      if (!text) return;
      const id = crypto.randomUUID?.() ?? `${Date.now()}-${Math.random().toString(36).slice(2)}`;
      const items = [{id, ...kind && {kind}, content: standing(text, path)}];
      const place = before ? {op: "insertItems", after: before.id} : section ? {op: "insertItems", section: section.id, after: null} : {op: "appendItems"};
      this.send("propose", {operations: [{...place, items}]}, `Add “${text}”`).then(result => result && this.goToAdded("i" + id));
    }});
  }

  /** Moves the cursor to an added row as soon as it is drawn. */
  goToAdded(key, tries = 20) {
    if (this.shape.byKey.has(key)) this.goToRow(key);
    else if (tries) setTimeout(() => this.goToAdded(key, tries - 1), 50);
  }

  edit() {
    const {row} = this;
    if (!row || !this.mayAct("change")) return;
    const field = make("textarea"), no = make("button", "", "Cancel"), yes = make("button", "", "Save");
    field.value = JSON.stringify(row.item.content ?? null, null, 2);
    field.setAttribute("aria-label", "Content as JSON");
    no.onclick = () => this.close();
    yes.onclick = () => {
      let content;
      try { content = JSON.parse(field.value); } catch (error) { return this.say(error.message, true); }
      this.close();
      this.send("transact", {operations: [{op: "reconfigureItems", items: [{id: row.id, content}]}]}, `Edit ${this.subject([row.id])}`);
    };
    const dialog = this.overlay("edit", [field, make("div", "buttons", no, yes)]);
    dialog.style.cssText = "";
    dialog.onkeydown = event => event.stopPropagation();
  }

  copy() {
    if (!this.row || !this.mayTouch()) return;
    const items = this.marks.size ? this.orderedMarks : [this.row.id];
    const texts = items.map(id => { const row = this.shape.byKey.get("i" + id); return row ? this.itemLook(row).text : id; });
    navigator.clipboard?.writeText(texts.join("\n")).then(() => this.say(items.length == 1 ? "Copied" : `${items.length} texts copied`), error => this.say(error.message));
  }

  toggleEditing() {
    this.isEditing = !this.isEditing;
    this.slots.clear();
    this.layOut();
    this.draw();
  }

  pause() {
    this.isPaused = !this.isPaused;
    this.ui.note.textContent = "";
    this.showStatus();
    this.schedule();
  }

  /** What a click on an accessory does. */
  touchAccessory(accessory) {
    const {row} = this;
    const {action, type} = accessory;
    if (action) {
      const known = this.actionsOf(row.key).find(other => other.id == action);
      return this.perform(known ?? {id: action, title: action});
    }
    ({detail: () => this.openMenu(), popUpMenu: () => this.openMenu(), delete: () => this.swipe("trailing"), insert: () => this.add(), multiselect: () => this.mark()})[type]?.();
  }

  /** Whether a row shows a triangle that can be clicked. */
  hasDisclosure(row) { return disclosure(row, this.itemLook(row), this.isEditing) !== undefined; }

  // Keys

  static keys = {
    ArrowDown: v => v.step(1), j: v => v.step(1), ArrowUp: v => v.step(-1), k: v => v.step(-1), "^n": v => v.step(1), "^p": v => v.step(-1),
    ArrowLeft: v => v.across(-1), h: v => v.across(-1), ArrowRight: v => v.across(1), l: v => v.across(1),
    "shift-ArrowLeft": v => v.passColumns(-1), "shift-ArrowRight": v => v.passColumns(1),
    g: v => v.first(), Home: v => v.first(), G: v => v.last(), End: v => v.last(),
    "^u": v => v.page(-0.5), "^d": v => v.page(0.5), PageUp: v => v.page(-1), PageDown: v => v.page(1), "^b": v => v.page(-1), "^f": v => v.page(1),
    "/": v => v.search(), n: v => v.match(1), N: v => v.match(-1), w: v => v.where(), s: v => v.sort(),
    Enter: v => v.activate(), ".": v => v.openMenu(), ":": v => v.openListMenu(), ContextMenu: v => v.openMenu(),
    ">": v => v.swipe("leading"), "<": v => v.swipe("trailing"), Delete: v => v.swipe("trailing"),
    " ": v => v.mark(), v: v => v.range(), Escape: v => v.escape(),
    "shift-ArrowDown": v => { v.mode.kind == "range" || v.range(); v.mode.kind == "range" && v.step(1); },
    "shift-ArrowUp": v => { v.mode.kind == "range" || v.range(); v.mode.kind == "range" && v.step(-1); },
    "alt-ArrowUp": v => v.reorder(-1), "alt-ArrowDown": v => v.reorder(1), "^x": v => v.take(), "^v": v => v.putRows(),
    "+": v => v.add(), e: v => v.edit(), E: v => v.toggleEditing(), u: v => v.undo(), U: v => v.undo(true), y: v => v.copy(), p: v => v.pause(), "?": v => v.showHelp(),
  };
  static changing = /^(alt-|[.:><+eEuU]$|\^[xv]|Delete)/;

  key(event) {
    const {key, ctrlKey, altKey, shiftKey, metaKey} = event;
    if (metaKey || event.isComposing) return;
    if (this.mode.kind == "swipe") { event.preventDefault(); return this.swipeKey(key); }
    if (key == "Tab" && !ctrlKey && !altKey) {
      // Tab leaves the list from its last section, so that the keyboard is not caught.
      const sections = [...new Set(this.stops.map(stop => stop.frame.section))];
      const index = sections.indexOf(this.stop?.frame.section) + (shiftKey ? -1 : 1);
      if (sections.length < 2 || index < 0 || index >= sections.length) return;
      event.preventDefault();
      return this.section(shiftKey ? -1 : 1);
    }
    const name = (ctrlKey ? "^" : altKey ? "alt-" : shiftKey && key.length > 1 ? "shift-" : "") + key;
    const command = Acting.keys[name];
    const action = !command && key.length == 1 && !ctrlKey && !altKey && !this.readonly &&
      (this.actionsOf(this.cursor).find(action => action.key == key) ?? this.listLook?.actions?.find(action => action.key == key));
    if (!command && !action) return;
    event.preventDefault();
    this.ui.note.textContent = "";
    if (command && this.readonly && Acting.changing.test(name)) return;
    if (command) return command(this);
    if (this.listLook?.actions?.includes(action)) this.perform(action, {items: [], section: null, isForList: true}); else this.perform(action);
  }
}

const frameIndex = (frames, y) => frames.findIndex(frame => frame.y + frame.height > y);
