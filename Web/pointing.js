// The mouse and fingers. A click selects, a double click or a tap opens; a sideways swipe shows the actions at that end; holding and
// then moving drags the row; holding alone opens the menu.

import {Acting} from './acting.js'
import {make} from './draw.js'

const holdTime = 400
/** Pixels at the sides of the screen that belong to the browser's own gestures, and of a movement that is none. */
const edge = 24
const slop = 8

export class Pointing extends Acting {
  constructor(host, ui) {
    super(host, ui)
    const listeners = {
      pointerdown: event => this.down(event), pointermove: event => this.moving(event), pointerup: event => this.up(event),
      pointercancel: () => this.drop(false), click: event => this.click(event), contextmenu: event => this.menuAt(event), keydown: event => this.key(event),
      dblclick: event => this.isMouse && this.keyAt(event) == this.cursor && !event.target.closest('.acc, .disc, .check') && this.activate(),
      // A finger that holds a row moves the row, not the list.
      touchmove: event => this.touch?.isHeld && event.preventDefault(),
    }
    for (const [name, listener] of Object.entries(listeners)) this.scroller.addEventListener(name, listener, {passive: false})
  }

  keyAt(event) { return event.target.closest('.line')?.key; }

  /** Puts the cursor on a row without moving the list. Returns whether it can be there. */
  pick(key) {
    if (!this.stops.some(stop => stop.key == key)) return false
    this.select(key)
    this.draw()
    return true
  }

  down(event) {
    this.isMouse = event.pointerType == 'mouse'
    this.wasGesture = false
    const key = this.keyAt(event)
    if (event.button || !this.shape.byKey.has(key) || event.target.closest('button')) return
    const {clientX: x, clientY: y, pointerId: id} = event
    const touch = this.touch = {key, x, y, id, isUnseen: this.isUnseen(key)}
    if (!this.isMouse) touch.timer = setTimeout(() => { touch.isHeld = true; }, holdTime)
  }

  moving(event) {
    const {touch} = this
    if (event.pointerId != touch?.id) return
    if (touch.isDragging) return this.drag(event)
    const dx = event.clientX - touch.x, dy = event.clientY - touch.y
    if (Math.hypot(dx, dy) < slop) return
    clearTimeout(touch.timer)
    const {left, right} = this.scroller.getBoundingClientRect()
    const isSideways = Math.abs(dx) > 2 * Math.abs(dy) && !touch.isHeld
    const look = this.itemLook(this.shape.byKey.get(touch.key))
    if (isSideways && touch.x - left > edge && right - touch.x > edge && this.at.get(touch.key).kind == 'row') {
      const side = dx > 0 ? 'leading' : 'trailing'
      if (Math.abs(dx) < 32) return
      this.wasGesture = true
      if (this.mode.kind == 'swipe') this.endSwipe()
      else if (look[side + 'Actions']?.length && this.pick(touch.key)) this.swipe(side)
    } else if ((touch.isHeld || (this.isMouse && !isSideways)) && look.canReorder && this.may('ask')) {
      touch.isDragging = this.wasGesture = this.pick(touch.key)
      this.mode = {kind: 'drag', lifted: touch.key.slice(1)}
      this.scroller.setPointerCapture(touch.id)
      this.marker = this.box.appendChild(make('div', 'drop'))
      return this.drag(event)
    }
    this.touch = undefined
  }

  /** Shows where the row would go, and scrolls at the edges. */
  drag({clientX, clientY}) {
    const {touch, place} = this
    const {top, bottom, left} = this.scroller.getBoundingClientRect()
    const near = clientY < top + 40 ? -12 : clientY > bottom - 40 ? 12 : 0
    if (near) {
      this.setTop(place.top + near)
      this.draw()
    }
    const y = clientY - top + place.top, x = clientX - left
    const distance = frame => Math.abs(frame.y + frame.height / 2 - y) + (frame.kind == 'card' ? Math.abs(frame.x + frame.width / 2 - x) : 0)
    const frame = this.visible.filter(frame => frame.row).sort((a, b) => distance(a) - distance(b))[0]
    if (!frame) return
    const isCard = frame.kind == 'card'
    const isAfter = isCard ? x > frame.x + frame.width / 2 : y > frame.y + frame.height / 2
    touch.target = {id: frame.row.id, side: isAfter ? 'after' : 'before'}
    const at = {x: frame.x + isCard * isAfter * frame.width, y: frame.y - place.shift + !isCard * isAfter * frame.height}
    Object.assign(this.marker.style, {width: isCard ? '2px' : frame.width + 'px', height: isCard ? frame.height + 'px' : '2px', transform: `translate(${at.x}px,${at.y}px)`})
  }

  up(event) {
    const {touch} = this
    if (event.pointerId != touch?.id) return
    if (touch.isDragging) return this.drop(true)
    clearTimeout(touch.timer)
    if (!touch.isHeld || this.readonly) return
    this.wasGesture = true
    this.touch = undefined
    this.pick(touch.key)
    this.openMenu({x: event.clientX, y: event.clientY})
  }

  drop(isDone) {
    const {touch} = this
    clearTimeout(touch?.timer)
    this.touch = undefined
    if (!touch?.isDragging) return
    this.marker.remove()
    this.mode = {kind: 'rows'}
    this.schedule()
    const {target} = touch, item = touch.key.slice(1)
    if (isDone && target && target.id != item && this.mayChange() && this.mayMove([item], target.id)) this.move([item], target.side, target.id)
  }

  click(event) {
    const {target} = event, {isUnseen} = this.touch ?? {}
    this.touch = undefined
    if (this.wasGesture) return void (this.wasGesture = false)
    const key = this.keyAt(event), row = this.shape.byKey.get(key), button = target.closest('button')
    if (button?.by) return this.passColumns(button.by, this.at.get(key)?.section)
    if (this.mode.kind == 'swipe') return this.endSwipe(button?.action)
    const wasSelected = key == this.cursor
    if (isUnseen || !this.pick(key)) return
    const accessory = target.closest('.acc')?.dataset.accessory
    if (row && event.shiftKey) this.markTo(row)
    else if (event.ctrlKey || event.metaKey) this.mark()
    else if (row && target.closest('.disc')) this.expand(row, !row.isOpen)
    else if (row && target.closest('.check') && this.itemLook(row).toggle && !this.readonly) this.check()
    else if (accessory && row && (wasSelected || !this.isMouse)) this.touchAccessory(this.itemLook(row).accessories[accessory])
    else if (!this.isMouse || key[0] == 'm') this.activate()
  }

  /** Marks the rows from the last marked one to this one. */
  markTo({place, key}) {
    const {rows, byKey} = this.shape
    if (!this.takesSeveral(byKey.get(key))) return this.mark()
    const from = byKey.get('i' + this.orderedMarks.at(-1))?.place ?? place
    for (const row of rows.slice(Math.min(from, place), Math.max(from, place) + 1)) this.marks.add(row.id)
    this.draw()
  }

  menuAt(event) {
    if (this.readonly || !this.pick(this.keyAt(event))) return
    event.preventDefault()
    // A finger's menu opens when the finger is lifted: until then it may drag.
    if (this.isMouse) this.openMenu({x: event.clientX, y: event.clientY})
  }
}
