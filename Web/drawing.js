// Follows a list and draws the rows that are on the screen. What the keys, the mouse and the fingers do is in the classes above
// this one: acting.js and pointing.js.

import {cell, countOf, itemLook, listLook, sectionLook, standardColumns} from './appearance.js'
import {draw, isNarrow, make, set, slotsOf} from './draw.js'
import {Place} from './place.js'
import {search} from './query.js'
import {fitColumns, follow, frameIndex, layOut, shapeOf, stops, gap} from './rows.js'

/** Rows of the longest list that is followed as a whole. */
const wholeMax = 2000
const whole = {offset: 0, limit: wholeMax, allSections: true}

const isSame = (a, b) => a?.length == b.length && a.every((value, index) => value === b[index])
const isReduced = matchMedia('(prefers-reduced-motion: reduce)')

export class Drawing {
  place = new Place()
  shape = shapeOf({sections: []})
  shown = {offset: 0, total: 0}
  frames = []
  bands = []
  /** Frames by the keys of their rows. */
  at = new Map()
  elements = new Map()
  strips = new Map()
  /** Measured heights by key, and the last one of each kind. */
  heights = new Map()
  usual = {}
  looks = new Map()
  sectionLooks = new Map()
  slots = new Map()
  tables = new Map()
  headers = new Map()
  /** Items of the user's own requests, and items that moved since the last painting. */
  own = new Set()
  moved = new Set()
  marks = new Set()
  /** Items whose expansion differs from the list's, and items that are closed in the result of a search. */
  toggled = new Set()
  closed = new Set()
  mode = {kind: 'rows'}
  followsTop = true
  waiting = 0
  groups = []
  pinHeight = 0

  constructor(host, ui) {
    Object.assign(this, {host, ui, scroller: ui.scroller, box: ui.box})
    this.scroller.addEventListener('scroll', () => this.scrolled(), {passive: true})
    new ResizeObserver(() => this.resized()).observe(this.scroller)
  }

  // Following

  start(connection, list, options) {
    Object.assign(this, {connection, list, window: whole, cursor: undefined, isLoaded: false, followsTop: true}, options)
    for (const known of [this.marks, this.toggled, this.closed, this.heights, this.strips]) known.clear()
    this.follow()
  }

  follow() {
    this.following = this.connection.follow(this.list, {view: this.view(), minInterval: this.minInterval,
      onUpdate: update => this.update(update), onEnd: error => this.ended(error)})
  }

  get content() { return this.following?.mirror.content; }
  get isWhole() { return this.window.limit >= wholeMax; }
  get isLong() { return this.following?.total > wholeMax }
  get isFiltered() { return !!(this.query.search || this.query.where); }

  view() {
    const {search: words, where, sort} = this.query
    const {baseView, isPlain, isLong} = this
    const {offset, limit} = this.window
    const window = isPlain ? {offset, limit} : this.window
    const base = baseView?.where
    const view = {...baseView, window}
    if (where || base) view.where = where && base ? {and: [base, where]} : where ?? base
    if (sort?.length) view.sort = sort
    if (words) view.search = this.searched(words)
    // A daemon that cannot tell which items are folded sends all of them, and they are folded here.
    if (this.isFiltered || (isPlain && !isLong)) return view
    return {...view, expansion: 'own', toggled: [...this.toggled], ...!isPlain && {folded: true}}
  }

  /** A search looks at the texts that are shown. They are unknown if rows that are not loaded may be drawn in another way. */
  searched(words) {
    const {sections} = this.shape
    const tables = sections.filter(section => this.look(section).layout?.type == 'table')
    const isMixed = tables.length && tables.length < sections.length
    if (isMixed && !this.isWhole) return words
    return search(words, this.content, this.userLook, tables.flatMap(section => this.columns(section).flatMap(column => column.format ? [] : column.path)), !tables.length || isMixed)
  }

  /** Asks for the view that is wanted now. */
  askAgain(window = this.window) {
    this.window = window
    this.isAsking = true
    this.following.setView(this.view()).catch(error => {
      this.say(error.message.replace(/ \(at byte \d+\)/, ''), true)
      // The view before it is still shown.
      if (this.isOther) Object.assign(this, this.accepted)
      this.showQuery()
    }).finally(() => {
      this.isAsking = this.isOther = false
      this.accepted = {query: this.query, words: this.words}
      this.askForRows()
    })
  }

  /** Shows other items, or another order, as it was typed. `place` is where to be then. */
  filter(query, place, words) {
    this.query = {...this.query, ...query}
    this.words = {...this.words, ...words}
    this.closed.clear()
    ;[this.isOther, this.returnTo] = [true, place]
    // A pin tells the number of the row to return to, if it is not loaded.
    this.askAgain(place?.cursor?.[0] == 'i' ? {...whole, pins: [place.cursor.slice(1)]} : whole)
    this.showQuery()
  }

  update(update) {
    const {inserted, deleted, moved, changed, sections, list, isView} = update
    for (const id of [...inserted, ...changed]) this.looks.delete(id)
    for (const id of moved) this.moved.add(id)
    if (list || sections.size) this.forget()
    if (!isView && inserted.size + deleted.size + moved.size + sections.size) {
      const now = performance.now()
      this.groups = [...this.groups.filter(time => time > now - 1000), now]
      this.waiting += this.isHeld
    }
    this.fresh = inserted
    // Until the newest view has arrived: one types faster than it is answered.
    if (isView && this.isOther) this.showsOther = true
    this.isOtherWindow ||= isView
    this.isDirty = true
    this.ended()
    this.host.dispatchEvent(new CustomEvent('update', {detail: update}))
    this.schedule()
  }

  forget() {
    for (const cache of [this.looks, this.sectionLooks, this.slots, this.tables]) cache.clear()
    this.listLook = listLook(this.content, this.userLook)
    this.showHead()
  }

  ended(error) {
    // A daemon without folds, pins and places that are kept.
    if (!this.isPlain && /has no member/.test(error?.message)) {
      this.isPlain = true
      this.following?.stop()
      return this.follow()
    }
    // The condition, the order or the view of the address. Without them the list can be shown.
    const {query, baseView} = this
    if (error?.name == 'invalidParams' && !this.isLoaded && (baseView || Object.values(query).some(Boolean))) {
      ;[this.query, this.words, this.baseView] = [{}, {}]
      this.accepted = {query: {}, words: {}}
      this.say(error.message.replace(/ \(at byte \d+\)/, ''), true)
      this.showQuery()
      this.following.stop()
      return this.follow()
    }
    this.absence = error?.message
    this.showBanner()
  }

  /** Whether the structure stays, because an overlay concerns certain rows. */
  get isHeld() { return this.isPaused || !/rows|typing/.test(this.mode.kind); }

  schedule() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = undefined
      this.paint()
    })
  }

  // Looks

  cached(cache, key, find) {
    if (!cache.has(key)) cache.set(key, find())
    return cache.get(key)
  }

  look(section) { return this.cached(this.sectionLooks, section.id, () => sectionLook(section.content, this.content, this.userLook)); }

  /** The look of a section's header, with its count. */
  header(section) {
    const {header} = this.look(section), {count} = header.badge ?? {}
    if (!count) return header
    const known = this.headers.get(section.id)
    const text = this.isLong ? '' : String(countOf(count, section.rows))
    if (known?.source == header && known.badge?.text == text) return known
    const look = {...header, source: header, badge: text && {...header.badge, text}}
    this.headers.set(section.id, look)
    return look
  }

  itemLook(row) { return this.cached(this.looks, row.id, () => itemLook(row.item, row.section.content, this.content, this.userLook)); }
  slotsFor(section) { return this.cached(this.slots, section.id, () => slotsOf(section.rows.slice(0, 64).map(row => ({row, look: this.itemLook(row)})))); }

  /** The columns of a table. Columns never become narrower, and other users' changes make none wider. */
  columns(section) {
    const {pad, width} = this.bands.find(band => band.section.id == section.id)?.place ?? {pad: 0, width: this.place.width}
    const rows = section.rows.slice(0, 32)
    let table = this.tables.get(section.id)
    if (!table || table.sampled < rows.length) {
      const columns = (this.look(section).columns ?? standardColumns(rows.map(row => row.item))).slice(0, 64).map((column, index) => {
        const cells = rows.map(row => cell(column, row.item, this.itemLook(row)))
        const isNumber = cells.length && cells.every(cell => cell.isNumber !== false)
        const {disclosure, check, icon, sign, urgent} = this.slotsFor(section)
        const front = index ? 0 : (disclosure > 0) + check + icon + sign + urgent + 3 * (disclosure > 0)
        // Digits and capitals of units are wider than most letters.
        const natural = (column.format ? 10 : 8) * Math.min(column.width ?? Math.min(Math.max(column.title.length, ...cells.map(({text, sign}) => text.length + 2 * !!sign)) + 1, 48), 400) + 28 * front
        return {...column, align: column.align ?? (isNumber ? 'right' : 'left'), natural: Math.max(natural, table?.columns[index]?.natural ?? 0)}
      })
      this.tables.set(section.id, table = {columns, sampled: rows.length, passed: table?.passed ?? 0})
    }
    if (table.width != width) {
      const {badge, bar, end} = this.slotsFor(section), barWidth = isNarrow(width) ? 84 : 170
      table.width = width
      table.passed = Math.max(Math.min(table.passed, table.columns.length - 2), 0)
      const {passed} = table, ends = (badge && badge * 9 + 24) + barWidth * bar + (end && end * 9 + 24) + 16 * (isNarrow(width) && !bar && (badge || end) > 0)
      table.steps = []
      // Twice: the buttons that show further columns need room, if there are any. Above the ends of rows there is some.
      for (let round = 0; round < 2; round++) {
        const columns = table.columns = fitColumns(table.columns, width - 2 * pad - Math.max(ends, 52 * table.steps.length), passed)
        table.steps = [passed > 0 && -1, passed < columns.length - 2 && columns.some(({px, natural}, index) => index > passed && px < natural) && 1].filter(Boolean)
      }
    }
    return table.columns
  }

  /** Shows further columns of a table. Returns whether there are any. */
  passColumns(by, section = this.row?.section) {
    const table = this.tables.get(section?.id)
    if (!table?.steps.includes(by)) return false
    table.passed += by
    table.width = 0
    this.schedule()
    return true
  }

  // Places

  get row() { return this.shape.byKey.get(this.cursor); }
  get screenTop() { return this.place.top + this.pinHeight; }
  get stops() { return this.stopsNow ??= stops(this.frames); }
  get unit() { return this.usual.row ??= parseFloat(getComputedStyle(this.host).getPropertyValue('--row')) || 36; }

  frameAt(y) { return this.frames[frameIndex(this.frames, y)]; }

  /** The frames from one place to another. */
  framesBetween(top, bottom) {
    const start = frameIndex(this.frames, top)
    const end = this.frames.findIndex((frame, index) => index >= start && frame.y >= bottom)
    return this.frames.slice(start, end < 0 ? undefined : end)
  }

  get visible() { return this.framesBetween(this.place.top, this.place.top + this.place.screen); }

  isVisible(key) {
    const frame = this.at.get(key)
    return !!frame && frame.y + frame.height > this.screenTop && frame.y < this.place.top + this.place.screen
  }

  /** What keeps its place on the screen: the cursor's row, or else the first visible row. */
  anchor() {
    const {top} = this.place
    if (this.followsTop) return {top: 0}
    const own = this.at.get(this.cursor)
    if (own && own.y >= top && this.isVisible(this.cursor)) return {key: this.cursor, line: own.y - top}
    const frame = this.framesBetween(this.screenTop, this.screenTop + 300).find(frame => frame.row || frame.rows || frame.count)
    if (frame?.count) return {number: this.numberAt(top), line: (frame.y - top) % this.unit}
    return frame ? {key: frame.rows?.[0].key ?? frame.key, line: frame.y - top} : {top}
  }

  /** The place of a row by its number in the whole list. */
  yOf(number) {
    const {shape: {rows}, shown: {offset}} = this
    const index = number - offset
    if (index < 0) return number * this.unit
    return rows[index] ? this.at.get(rows[index].key).y : (this.at.get('after')?.y ?? 0) + (index - rows.length) * this.unit
  }

  /** The number of the row at a place. */
  numberAt(y) {
    const frame = this.frameAt(y) ?? this.frames.at(-1)
    const {rows} = this.shape
    const {offset} = this.shown
    if (frame?.count) return (frame.key == 'before' ? 0 : offset + rows.length) + Math.min(Math.max(Math.floor((y - frame.y) / this.unit), 0), frame.count - 1)
    return offset + ((frame?.row ?? frame?.rows?.[0])?.place ?? frame?.section?.start ?? 0)
  }

  goTo({key, number, line, top}) {
    const y = number === undefined ? this.at.get(key)?.y : this.yOf(number)
    this.setTop(top ?? (y === undefined ? this.place.top : y - line))
  }

  setTop(top) {
    const {place, scroller} = this
    const offset = place.go(top)
    if (Math.abs(offset - scroller.scrollTop) > 0.5) scroller.scrollTop = offset
    // A browser rounds it.
    if (place.isLong) place.shift = place.top - scroller.scrollTop; else place.top = scroller.scrollTop
    this.restLater()
  }

  scrolled() {
    const {place, scroller} = this
    if (Math.abs(scroller.scrollTop - place.offset) < 1) return
    const {top} = place
    place.scrolled(scroller.scrollTop)
    this.isRising = place.top < top
    this.away = undefined
    this.followsTop = place.top <= 0
    this.scrolledAt = performance.now()
    this.draw()
    this.restLater()
    this.askForRows()
  }

  restLater() {
    clearTimeout(this.resting)
    this.resting = setTimeout(() => this.rest(), 150)
  }

  /** Makes the scroll bar exact again, orders the elements as the rows are, and asks for the rows around. */
  rest() {
    const {place, scroller, box} = this
    if (place.isLong && this.mode.kind != 'drag') {
      scroller.scrollTop = place.settle()
      place.shift = place.top - scroller.scrollTop
      this.draw()
    }
    let next = box.firstChild
    for (const {key} of this.frames) {
      const element = this.elements.get(key)
      if (element == next) next = next?.nextSibling ?? null
      else if (element?.parentNode == box) box[box.moveBefore ? 'moveBefore' : 'insertBefore'](element, next)
    }
    this.askForRows(true)
  }

  resized() {
    const {clientWidth: width, clientHeight: screen} = this.scroller
    if (!width) return
    if (width != this.place.width) this.heights.clear()
    Object.assign(this.place, {width, screen})
    this.schedule()
  }

  // Painting

  layOut() {
    const {place, shape, shown: {offset, total}} = this
    const standard = {card: 72, empty: 240, footer: 32, titles: 33}
    Object.assign(this, layOut(shape, {width: place.width, offset, total, unit: this.unit, isFiltered: this.isFiltered, look: section => this.look(section), header: section => this.header(section),
      height: ({key, kind, lines}) => kind == 'strip' ? lines * 20 + 24 : this.heights.get(key) ?? this.usual[kind] ?? standard[kind] ?? this.unit,
      empty: this.isFiltered ? {text: 'Nothing matches'} : this.listLook?.empty ?? {text: 'Nothing here'}}))
    place.height = this.height
    this.stopsNow = undefined
    this.at = new Map(this.frames.flatMap(frame => [[frame.key, frame], ...(frame.rows ?? []).map(row => [row.key, frame])]))
    this.box.style.height = place.box + 'px'
    set(this.scroller, {'aria-rowcount': this.count})
  }

  paint() {
    const {following, shape: before, isLoaded} = this
    if (!following || !this.place.width || !(isLoaded || this.isDirty)) return
    const anchor = this.anchor()
    const line = this.isVisible(this.cursor) ? this.at.get(this.cursor).y - this.place.top : undefined
    let lines
    if (this.isDirty && !this.isHeld) {
      if (isLoaded && !this.isOtherWindow) lines = new Map(this.visible.map(({key, y}) => [key, y - this.place.top]))
      const isHere = !following.view.expansion
      this.shape = shapeOf(following.mirror, item => this.isFiltered ? this.closed.has(item.id) : isHere && !!item.expanded == this.toggled.has(item.id))
      this.shown = this.isLong ? {offset: following.offset, total: following.total} : {offset: 0, total: this.shape.rows.length}
      this.isTree = this.shape.rows.some(row => row.isParent)
      if (isLoaded) this.keep(before, anchor, line); else this.forget()
      ;[this.isLoaded, this.isDirty, this.isOtherWindow, this.waiting] = [true, false, false, 0]
      this.moved.clear()
    }
    const slides = lines && !isReduced.matches && this.groups.length <= 4 && !(performance.now() - this.scrolledAt < 500) && !this.place.isLong
    this.newRows = slides && this.fresh
    this.box.classList.toggle('slide', !!slides)
    this.layOut()
    if (!isLoaded) this.cursor = this.drawnCursor = this.stops[0]?.key
    if (this.showsOther) this.showFiltered()
    else {
      const {top} = this.place
      this.goTo(anchor)
      // A row that keeps its place must not slide there.
      if (top != this.place.top) this.box.classList.remove('slide')
      this.draw()
    }
    if (lines && !this.isOwnMove) this.guard(lines)
    if (this.at.has(this.goesTo)) this.goesTo = void this.goToRow(this.goesTo)
    this.showStatus()
    this.askForRows()
  }

  /** Shows the result of a search from its top, or the place from before it. */
  showFiltered() {
    const {returnTo, following: {pins}} = this
    this.showsOther = undefined
    if (!this.isOther) this.returnTo = undefined
    if (returnTo) this.cursor = returnTo.cursor
    const number = this.at.has(this.cursor) ? undefined : returnTo && pins.get(this.cursor?.slice(1))
    if (number != null) return this.goToNumber(number)
    if (!this.at.has(this.cursor)) this.cursor = this.stops[0]?.key
    this.goTo(returnTo?.anchor ?? {top: 0})
    this.followsTop = !this.place.top
    this.reveal(this.cursor)
  }

  /** Moves the cursor, the marks and the anchor to the rows of the new shape. */
  keep(before, anchor, line) {
    const {following: {pins, mirror}, shape, cursor} = this
    const isOwn = id => this.own.has(id) && this.moved.has(id)
    // A row outside of the window. The pins tell whether it still exists.
    const isElsewhere = key => !this.isWhole && key?.[0] == 'i' && !shape.byKey.has(key) && pins?.get(key.slice(1)) !== null
    const now = key => isElsewhere(key) ? key : follow(key, before, shape, isOwn)
    this.isOwnMove = isOwn(cursor?.slice(1))
    this.cursor = now(cursor)
    const header = shape.sections.find(section => 'h' + section.id == this.cursor)
    if (header?.rows.length && !this.look(header).header?.actions?.length) this.cursor = shape.rows[Math.min(before.byKey.get(cursor)?.place ?? 0, shape.rows.length - 1)]?.key
    const pending = shape.rows[this.pending - this.shown.offset]
    if (pending) [this.cursor, this.pending] = [this.drawnCursor = pending.key]
    if (anchor.key) anchor.key = anchor.key == cursor ? this.cursor : now(anchor.key)
    for (const id of this.marks) if (!mirror.items.has(id) && !isElsewhere('i' + id)) this.marks.delete(id)
    // The screen follows the cursor's row out of the window, when the row's number is known. A list at its top stays there if
    // new rows have pushed the row out: then its neighbours have gone, too.
    const place = before.byKey.get(cursor)?.place
    const stays = by => shape.byKey.has(before.rows[place + by]?.key)
    if (line !== undefined && isElsewhere(cursor) && (!this.followsTop || stays(-1) || stays(1))) this.away = {key: cursor, line}
    if (this.away?.key != this.cursor || shape.byKey.has(this.cursor)) this.away = undefined
    const number = this.away && pins?.get(this.cursor.slice(1))
    if (number == null) return
    Object.assign(anchor, {key: undefined, top: undefined, number, line: this.away.line})
    ;[this.followsTop, this.away] = [false]
  }

  /** Notes the rows that others have just moved: what the user does to them now was meant for other rows. */
  guard(lines) {
    const now = performance.now()
    for (const {key, y} of this.visible) {
      const element = this.elements.get(key)
      if (element && lines.get(key) !== y - this.place.top) element.movedAt = now
    }
    if (this.cursor != this.drawnCursor) this.cursorMovedAt = now
    this.drawnCursor = this.cursor
  }

  /** Whether others have just put this row where it is. Then it flashes. */
  isUnseen(key) {
    const element = this.elements.get(key)
    const time = Math.max(element?.movedAt ?? 0, key == this.cursor ? this.cursorMovedAt ?? 0 : 0)
    if (!time || performance.now() - time > 200) return false
    element?.animate([{background: 'var(--mark)'}, {}], 400)
    this.no('Another row has just moved here')
    return true
  }

  /** Draws the rows on the screen, measures them, and lays out again until all heights are known. */
  draw() {
    for (let round = 0; round < 4; round++) {
      let isOther = false
      for (const [element, {key, kind, height: drawn}] of this.drawOnce()) {
        const height = element.firstElementChild?.offsetHeight
        if (!height || kind == 'strip') continue
        if (kind != 'card') this.usual[kind] = kind == 'row' ? this.unit : height
        if (this.heights.get(key) != height) isOther ||= height != drawn
        this.heights.set(key, height)
      }
      if (!isOther) break
      const anchor = this.anchor()
      this.layOut()
      this.goTo(anchor)
    }
    set(this.scroller, {role: this.isTree ? 'treegrid' : 'grid', 'aria-activedescendant': this.elements.get(this.cursor)?.id})
    this.awaitChanges()
  }

  /** Draws texts again when time changes them, such as ages. */
  awaitChanges() {
    const due = time => [...this.elements.values(), ...this.ui.pin.children].filter(({changesAt}) => changesAt <= time)
    clearTimeout(this.changing)
    const next = Math.min(...due(Number.MAX_VALUE).map(({changesAt}) => changesAt))
    if (next < Infinity) this.changing = setTimeout(() => {
      for (const element of due(Date.now())) {
        element.state = undefined
        if (!this.looks.delete(element.key?.slice(1))) this.sectionLooks.clear()
      }
      this.schedule()
    }, Math.min(Math.max(next - Date.now(), 0), 1e9))
  }

  /** Puts each frame near the screen, and the cursor's, in its place. Returns the elements that changed with their frames. */
  drawOnce() {
    const {place: {top, screen, shift}, isRising} = this
    const changed = [], keys = new Set()
    const own = this.at.get(this.cursor)
    // A whole screen ahead: a browser scrolls first, and draws rows in the next frame.
    const [above, below] = isRising ? [1, 0.5] : [0.5, 1]
    for (const frame of new Set([...this.framesBetween(top - above * screen, top + (1 + below) * screen), ...own ? [own] : []])) {
      const element = this.put(frame, this.box, frame.x, frame.y - shift)
      keys.add(frame.key)
      if (frame.rows) this.drawStrip(element, frame, keys)
      else if (this.fill(element, frame)) changed.push([element, frame])
    }
    for (const [key, element] of this.elements) if (!keys.has(key)) {
      element.remove()
      this.elements.delete(key)
    }
    this.pin()
    return changed
  }

  /** The element of a frame, in its place. */
  put(frame, parent, x, y) {
    const {key, kind, width, height, section, isFirst, isLast, row, rows, order, pad} = frame
    let element = this.elements.get(key)
    if (!element) {
      element = make('div')
      element.id = 'r' + (this.lastID = (this.lastID ?? 0) + 1)
      element.key = key
      element.isFresh = this.newRows && this.newRows.has(key.slice(1))
      this.elements.set(key, element)
    }
    if (element.parentNode != parent) parent.append(element)
    const look = section ? this.look(section) : {}
    const isMarked = !!row && this.marks.has(row.id)
    const names = {[kind]: true, [look.appearance ?? 'plain']: true, isFirst, isLast, separated: row && look.separators, table: frame.table, fresh: element.isFresh,
      cursor: !rows && key == this.cursor, marked: isMarked, off: row && this.itemLook(row).enabled === false, lifted: row && this.mode.lifted == row.id}
    const name = 'line ' + Object.keys(names).filter(name => names[name]).join(' ')
    const transform = `translate(${x}px,${y}px)`
    if (element.transform != transform) element.style.transform = element.transform = transform
    const state = [width, height, name, order, this.unit]
    if (isSame(element.placed, state)) return element
    element.placed = state
    element.className = name
    Object.assign(element.style, {width: width + 'px', height: /card|missing|strip/.test(kind) ? Math.min(height, 8e6) + 'px' : ''})
    element.style.setProperty('--pad', (pad ?? this.unit) + 'px')
    set(element, kind == 'missing' ? {'aria-hidden': true} : {role: rows ? 'rowgroup' : 'row', 'aria-rowindex': rows ? null : order,
      'aria-selected': row && look.selection != 'none' ? isMarked : null})
    return element
  }

  /** Draws an element if its frame has changed. Returns whether it has. */
  fill(element, frame) {
    const {row, section, kind, width} = frame
    const {isEditing, isTree} = this
    let env = {isEditing, isTree}, state = [frame.look, width, isEditing]
    if (kind == 'titles') {
      state = [this.columns(section), width]
      env = this.tables.get(section.id)
    } else if (row) {
      const isMarked = this.marks.has(row.id)
      env = {...env, row, isMarked, look: this.itemLook(row), slots: this.slotsFor(section), columns: frame.table && this.columns(section),
        swipe: this.mode.kind == 'swipe' && this.mode.item == row.id && this.mode}
      state = [env.look, env.slots, env.columns, env.swipe, isMarked, width, isEditing, isTree, row.isOpen, row.isParent, row.level]
    }
    if (isSame(element.state, state)) return false
    element.state = state
    draw(element, frame, env)
    return true
  }

  /** Draws the cards of a carousel that are on the screen. */
  drawStrip(element, frame, keys) {
    const {rows, card, pad, key, width, snap, order} = frame
    const step = card + gap
    const strip = this.cached(this.strips, key, () => ({left: 0}))
    if (element.strip != strip) {
      element.strip = strip
      element.replaceChildren(set(make('div', 'run'), {role: 'none'}))
      set(element, {tabindex: 0, snap})
      element.onscroll = () => {
        strip.left = element.scrollLeft
        this.schedule()
      }
    }
    const run = element.firstChild
    run.style.width = rows.length * step - gap + 2 * pad + 'px'
    if (strip.reveal >= 0) {
      const x = strip.reveal * step
      strip.left = Math.min(Math.max(strip.left, x + card + 2 * pad - width), x)
      strip.reveal = -1
    }
    if (Math.abs(element.scrollLeft - strip.left) > 1) element.scrollLeft = strip.left
    const perPage = Math.max(Math.floor((width - 2 * pad + gap) / step), 1)
    const from = Math.max(Math.floor((strip.left - width) / step), 0)
    rows.slice(from, from + Math.ceil(3 * width / step)).forEach((row, offset) => {
      const index = from + offset
      const part = {...frame, key: row.key, kind: 'card', row, rows: undefined, width: card, order: order + index}
      keys.add(row.key)
      const child = this.put(part, run, pad + index * step, 0)
      set(child, {stop: index % perPage ? null : ''})
      this.fill(child, part)
    })
  }

  /** The header that stays at the top, and that the next one pushes away. */
  pin() {
    const {top} = this.place
    const {pin} = this.ui
    const band = this.bands.findLast(band => band.start < top)
    const frames = band?.pins && band.end > top ? [band.header, band.titles].filter(Boolean) : []
    const height = frames.reduce((sum, frame) => sum + frame.height, 0)
    let y = Math.min((band?.end ?? 0) - top - height, 0)
    this.pinHeight = frames.length ? height + y : 0
    while (pin.children.length > frames.length) pin.lastChild.remove()
    frames.forEach((frame, index) => {
      const element = pin.children[index] ?? pin.appendChild(make('div'))
      element.className = `line ${frame.kind} ${this.look(band.section).appearance ?? 'plain'}`
      Object.assign(element.style, {width: frame.width + 'px', transform: `translate(${frame.x}px,${y}px)`})
      this.fill(element, frame)
      y += frame.height
    })
  }

  /** Moves a row into the visible part of the screen. */
  reveal(key) {
    const frame = this.at.get(key)
    if (!frame) return this.draw()
    const {top, screen} = this.place
    const band = this.bands.find(band => band.section == frame.section)
    const under = band?.pins && frame != band.header ? (band.header?.height ?? 0) + (band.titles?.height ?? 0) : 0
    if (frame.rows) this.cached(this.strips, frame.key, () => ({left: 0})).reveal = frame.rows.findIndex(row => row.key == key)
    if (frame.y - under < top) this.setTop(frame.y - under < 40 ? 0 : frame.y - under)
    else if (frame.y + frame.height > top + screen) this.setTop(frame.y + frame.height - screen + 8)
    this.followsTop &&= !this.place.top
    this.draw()
    this.restLater()
  }

  // Windows

  /** In a list that is too long to be followed as a whole, asks for nine screens of rows around the visible ones. */
  askForRows(isAtRest) {
    const {following, place: {top, screen}, shape: {rows}, window: {pins = [], keep = []}} = this
    if (!following || !this.isLoaded || this.isAsking || this.isDirty || this.absence) return
    const {total, offset} = this.shown
    const isLong = total > wholeMax
    const size = Math.max(Math.ceil(screen / this.unit), 10)
    const first = this.numberAt(top), last = this.numberAt(top + screen), end = offset + rows.length
    const isShort = this.isWhole == isLong || (first - offset < 2 * size && offset > 0) || (end - last < 2 * size && end < total)
    const wantedPins = [...this.cursor?.[0] == 'i' ? [this.cursor.slice(1)] : [], ...this.marks].slice(0, 256)
    const wantedKeep = this.followsTop ? [] : [...wantedPins.slice(0, 1), ...this.visible.flatMap(frame => frame.row?.id ?? [])].slice(0, 64)
    // A list that is followed as a whole keeps its place, too: it may become a long one.
    if (!isShort && (!(isLong || isAtRest) || isSame(pins, wantedPins)) && (!isAtRest || isSame(keep, wantedKeep))) return
    const more = {allSections: true, pins: wantedPins, keep: wantedKeep}
    if (!isLong) return this.isPlain && this.isWhole || this.askAgain({...whole, ...more})
    this.askAgain({offset: isShort ? Math.max(Math.min(first - (this.isRising ? 6 : 3) * size, total - 9 * size), 0) : offset, limit: 9 * size, ...more})
  }
}
