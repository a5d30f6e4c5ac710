// The mouse and fingers. A tap selects, a second one opens; a sideways swipe shows the actions at that end; holding and then moving
// drags the row; holding alone opens the menu.

import {Acting} from "./acting.js";
import {make} from "./draw.js";

const holdTime = 400;
/** Pixels at the sides of the screen that belong to the browser's own gestures. */
const edge = 24;
const slop = 8;

export class Pointing extends Acting {
  constructor(host, ui) {
    super(host, ui);
    const {scroller} = this;
    scroller.addEventListener("pointerdown", event => this.down(event));
    scroller.addEventListener("pointermove", event => this.moving(event));
    scroller.addEventListener("pointerup", event => this.up(event));
    scroller.addEventListener("pointercancel", () => this.drop(false));
    scroller.addEventListener("click", event => this.click(event));
    scroller.addEventListener("dblclick", event => this.isMouse && this.keyAt(event) == this.cursor && !event.target.closest("[data-accessory], .disc") && this.activate());
    scroller.addEventListener("contextmenu", event => this.menuAt(event));
    // A finger that holds a row moves the row, not the list.
    scroller.addEventListener("touchmove", event => this.touch?.isHeld && event.preventDefault(), {passive: false});
    scroller.addEventListener("keydown", event => this.key(event));
  }

  keyAt(event) {
    const element = event.target.closest?.(".line, .card");
    return element?.closest(".box, .pin") ? element.key : undefined;
  }

  isFocusable(key) { return this.stops.some(stop => stop.key == key); }

  /** Puts the cursor on a row without moving the list. */
  select(key) {
    this.cursor = this.drawnCursor = key;
    this.cursorMovedAt = 0;
    this.pending = undefined;
    this.draw();
    this.askForRows();
  }

  down(event) {
    this.isMouse = event.pointerType == "mouse";
    this.wasDragged = false;
    const key = this.keyAt(event);
    if (event.button || !this.shape.byKey.has(key) || event.target.closest("button")) return;
    const touch = this.touch = {key, x: event.clientX, y: event.clientY, id: event.pointerId, at: performance.now(), isUnseen: this.isUnseen(key)};
    if (!this.isMouse) touch.timer = setTimeout(() => {
      touch.isHeld = true;
      navigator.vibrate?.(10);
    }, holdTime);
  }

  moving(event) {
    const {touch} = this;
    if (!touch || event.pointerId != touch.id) return;
    const [dx, dy] = [event.clientX - touch.x, event.clientY - touch.y];
    if (touch.isDragging) return this.drag(event);
    if (Math.hypot(dx, dy) < slop) return;
    clearTimeout(touch.timer);
    const {left, right} = this.scroller.getBoundingClientRect();
    const isSideways = Math.abs(dx) > 2 * Math.abs(dy);
    const row = this.shape.byKey.get(touch.key);
    if (isSideways && !touch.isHeld && this.frameOf(touch.key)?.kind == "row" && touch.x - left > edge && right - touch.x > edge) {
      if (Math.abs(dx) < 32) return;
      this.touch = undefined;
      this.wasDragged = true;
      this.select(touch.key);
      if (this.mode.kind == "swipe") this.endSwipe(-1); else if (row && this.itemLook(row)[(dx > 0 ? "leading" : "trailing") + "Actions"]) this.swipe(dx > 0 ? "leading" : "trailing");
      return;
    }
    if ((touch.isHeld || (this.isMouse && !isSideways)) && row && this.itemLook(row).canReorder && this.may("ask") && !this.readonly) {
      touch.isDragging = true;
      this.select(touch.key);
      this.mode = {kind: "drag", item: row.id};
      this.scroller.setPointerCapture(touch.id);
      this.marker = this.box.appendChild(make("div", "drop"));
      return this.drag(event);
    }
    if (!this.isMouse || !isSideways) this.touch = undefined;
  }

  /** Shows where the row would go, and scrolls at the edges. */
  drag(event) {
    const {touch, place} = this;
    const {top, bottom} = this.scroller.getBoundingClientRect();
    const near = event.clientY < top + 40 ? -1 : event.clientY > bottom - 40 ? 1 : 0;
    if (near) { this.setTop(place.top + near * 12); this.draw(); }
    const y = event.clientY - top + place.top;
    const x = event.clientX - this.scroller.getBoundingClientRect().left;
    const rows = this.frames.filter(frame => frame.row && frame.y < place.top + place.screen && frame.y + frame.height > place.top);
    const distance = frame => Math.abs(frame.y + frame.height / 2 - y) + (frame.kind == "card" ? Math.abs(frame.x + frame.width / 2 - x) : 0);
    const target = rows.sort((a, b) => distance(a) - distance(b))[0];
    if (!target) return;
    const isCard = target.kind == "card";
    const isBefore = isCard ? x < target.x + target.width / 2 : y < target.y + target.height / 2;
    touch.target = {id: target.row.id, side: isBefore ? "before" : "after"};
    const {style} = this.marker;
    const end = isBefore ? 0 : isCard ? target.width : target.height;
    style.width = (isCard ? 2 : target.width) + "px";
    style.height = (isCard ? target.height : 2) + "px";
    style.transform = `translate(${target.x + (isCard ? end : 0)}px,${target.y - place.shift + (isCard ? 0 : end)}px)`;
  }

  up(event) {
    const {touch} = this;
    if (!touch || event.pointerId != touch.id) return;
    if (touch.isDragging) return this.drop(true);
    clearTimeout(touch.timer);
    if (touch.isHeld) {
      this.wasDragged = true;
      this.select(touch.key);
      if (!this.readonly) this.openMenu({x: event.clientX, y: event.clientY});
    }
    if (!touch.isUnseen) this.touch = undefined;
  }

  drop(isDone) {
    const {touch} = this;
    clearTimeout(touch?.timer);
    this.touch = undefined;
    if (!touch?.isDragging) return;
    this.wasDragged = true;
    setTimeout(() => { this.wasDragged = false; });
    this.marker.remove();
    this.mode = {kind: "rows"};
    this.schedule();
    this.draw();
    const {target} = touch;
    const item = touch.key.slice(1);
    if (isDone && target && target.id != item && this.mayChange() && this.mayMove([item], target.id)) this.proposeMove(item, target.side, target.id);
  }

  click(event) {
    const isUnseen = this.touch?.isUnseen;
    this.touch = undefined;
    if (this.wasDragged) return void (this.wasDragged = false);
    const {target} = event;
    const step = target.closest("[data-step]"), action = target.closest("[data-swipe]");
    const key = this.keyAt(event);
    if (step) return this.passColumns(+step.dataset.step, this.frameOf(key)?.section);
    if (action) return this.endSwipe(+action.dataset.swipe);
    if (this.mode.kind == "swipe") return this.endSwipe(-1);
    if (!key || isUnseen || !this.isFocusable(key)) return;
    const row = this.shape.byKey.get(key);
    const wasSelected = key == this.cursor;
    this.select(key);
    if (event.shiftKey && row) return this.markTo(row);
    if (event.ctrlKey || event.metaKey) return this.mark();
    if (row && target.closest(".disc")) return this.expand(row, !row.isOpen);
    const accessory = target.closest("[data-accessory]");
    if (row && accessory && (wasSelected || !this.isMouse)) return this.touchAccessory(this.itemLook(row).accessories[accessory.dataset.accessory]);
    if (!this.isMouse || key[0] == "m") this.activate();
  }

  /** Marks the rows from the last marked one to this one. */
  markTo(row) {
    const from = this.orderedMarks.map(id => this.shape.byKey.get("i" + id)?.place).findLast(place => place !== undefined) ?? row.place;
    if (!this.takesSeveral(row)) return this.mark();
    for (const other of this.shape.rows.slice(Math.min(from, row.place), Math.max(from, row.place) + 1)) this.marks.add(other.id);
    this.draw();
  }

  menuAt(event) {
    const key = this.keyAt(event);
    if (this.readonly || !key || !this.isFocusable(key)) return;
    event.preventDefault();
    // A finger's menu opens when it is lifted: until then it may drag.
    if (!this.isMouse) return;
    if (this.isUnseen(key)) return;
    this.select(key);
    this.openMenu({x: event.clientX, y: event.clientY});
  }
}
