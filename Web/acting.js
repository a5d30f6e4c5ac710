// Moves the cursor and acts on rows, by the rules of docs/viewer.md. An action applies to the rows that were on the screen, now
// or not at all: nothing is queued.

import {clean, sectionLook, textPath, unescaped} from './appearance.js'
import {Drawing} from './drawing.js'
import {make, withIcon} from './draw.js'
import {condition, order} from './query.js'
import {edited, siblings} from './rows.js'

/** Rows that were taken with Ctrl-X, in any list of the page. */
let taken

const fold = text => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()

/** Operations with an item's id in place of "$item". */
const filled = (operations, id) => JSON.parse(JSON.stringify(operations), (_, value) => value === '$item' ? id : value)

/** An object in which a pointer leads to a value, with the other members of a template. */
const standing = (value, pointer, template) => {
  const within = ([part, ...rest], template) => {
    if (part === undefined) return value
    const name = unescaped(part)
    return {...template, [name]: within(rest, template?.[name])}
  }
  return within(pointer.split('/').slice(1), template)
}

/** What a refusal means for the user of a page. */
const wordsOf = ({name, message}) => ({
  noSuchItem: 'Someone else has deleted the row in the meantime: nothing was done',
  noHandler: 'No program is connected that could do this: nothing was done',
  permissionDenied: 'You may not do this: ask for a link with more rights',
})[name] ?? message.replace(/ \(at byte \d+\)/, '')

const rightFor = action => action.patch || action.operations ? 'change' : 'ask'

export class Acting extends Drawing {
  /** Revisions of the user's own changes since somebody else's, those that were undone, and the newest of either. */
  done = []
  undone = []
  tip

  // Words

  say(text, isRefusal) {
    const {note} = this.ui
    note.textContent = clean(text)
    note.classList.toggle('refused', !!isRefusal)
    clearTimeout(this.silence)
    this.silence = setTimeout(() => this.showStatus(note.textContent = ''), isRefusal ? 8000 : 3000)
    if (isRefusal) this.host.dispatchEvent(new CustomEvent('refused', {detail: {message: text}}))
  }

  /** Says why nothing is done. */
  no(reason) { this.say(reason + ': nothing was done'); }

  /** Says what waits, when nothing else is said. */
  showStatus() {
    const {note} = this.ui
    if (note.textContent && !this.isWaitNote) return
    note.textContent = [this.isPaused && 'paused', this.isHeld && this.waiting && (this.waiting == 1 ? 'a change waits' : this.waiting + ' changes wait')].filter(Boolean).join(', ')
    this.isWaitNote = !!note.textContent
  }

  subject(items) {
    if (items.length != 1) return items.length ? `${items.length} items` : ''
    const row = this.rowOf(items[0])
    return `“${(row ? this.itemLook(row).text : clean(items[0])).slice(0, 60)}”`
  }

  rowOf(id) { return this.shape.byKey.get('i' + id); }

  // Whether something is allowed

  isUsable(action) { return action.enabled !== false && this.may(rightFor(action)); }

  may(right) { return !this.readonly && (this.following?.may?.includes(right) ?? true); }

  mayChange(right = 'ask') {
    const {state} = this.connection
    const reason = state && state != 'open' ? 'There is no connection' : this.absence ?? (this.may(right) ? '' : this.may('ask') ? 'You may not change this list' : 'You may only look at this list')
    if (reason) this.say(reason + ': nothing was done', true)
    return !reason
  }

  /** Whether the cursor's row is on the screen. If it is not, it is shown, and nothing else happens. */
  showsCursor() {
    if (this.isOther) this.no('The list is still being searched')
    else if (this.cursor && !this.isVisible(this.cursor)) this.reveal(this.cursor)
    else return !!this.cursor
  }

  mayTouch() { return this.showsCursor() && !this.isUnseen(this.cursor); }
  mayAct(right) { return this.mayChange(right) && this.mayTouch(); }

  mayMove(items, target) {
    const isBelow = row => row && (items.includes(row.id) || isBelow(row.parent))
    const reason = isBelow(this.rowOf(target)) ? 'A row cannot be moved next to or below itself' : this.query.sort?.length ? 'The rows are sorted'
      : items.every(id => !this.rowOf(id) || this.itemLook(this.rowOf(id)).canReorder) ? '' : 'The list sets no canReorder for this row'
    if (reason) this.no(reason)
    return !reason
  }

  // The cursor

  /** Puts the cursor on a row. */
  select(key) {
    this.cursor = this.drawnCursor = key
    this.cursorMovedAt = 0
    this.pending = undefined
    if (this.mode.kind == 'range') this.markRange()
  }

  goToRow(key) {
    if (!key) return
    this.select(key)
    this.reveal(key)
    const tooltip = this.row && this.itemLook(this.row).tooltip
    if (tooltip) this.say(tooltip)
  }

  get stop() { return this.stops.find(stop => stop.key == this.cursor); }

  /** Goes up or down by lines. */
  step(by) {
    const {stops, stop} = this
    if (!stop) {
      const number = this.following.pins?.get(this.cursor?.slice(1))
      return number != null ? this.goToNumber(number + by) : this.goToRow(stops.find(stop => stop.frame.y >= this.screenTop - 1)?.key)
    }
    const line = stops[by > 0 ? 'find' : 'findLast'](other => (other.line - stop.line) * by > 0)?.line
    if (line === undefined) {
      const number = this.shown.offset + (by < 0 ? -1 : this.shape.rows.length)
      return number >= 0 && number < this.shown.total ? this.goToNumber(number) : by < 0 && this.setTop(0)
    }
    const x = ({x, frame}) => x - (this.strips.get(frame.key)?.left ?? 0)
    const distance = other => Math.abs(x(other) - x(stop))
    this.goToRow(stops.filter(stop => stop.line == line).reduce((a, b) => distance(b) < distance(a) ? b : a).key)
  }

  /** Goes to a row by its number in the whole list, loaded or not. */
  goToNumber(number) {
    number = Math.min(Math.max(number, 0), this.shown.total - 1)
    const row = this.shape.rows[number - this.shown.offset]
    if (row) return this.goToRow(row.key)
    ;[this.cursor, this.pending, this.followsTop] = [undefined, number, false]
    const y = this.yOf(number), {top, screen} = this.place
    if (y < top) this.setTop(y - this.unit); else if (y + this.unit > top + screen) this.setTop(y - screen + 2 * this.unit)
    this.draw()
    this.askForRows()
  }

  across(by) {
    const {stop, row} = this
    const next = this.stops[this.stops.indexOf(stop) + by]
    if (stop && (stop.frame.rows ? next?.line == stop.line : next && stop.frame.kind == 'card')) return this.goToRow(next.key)
    if (!row) return
    if (by > 0 ? row.isOpen : !row.isOpen && !this.passColumns(by) && row.parent) return this.goToRow(by > 0 ? row.children[0].key : row.parent.key)
    if (by < 0 ? row.isOpen : row.isParent || this.itemLook(row).hasChildren) this.expand(row, by > 0)
    else if (by > 0) this.passColumns(by)
  }

  first() {
    this.goToNumber(0)
    const first = !this.shown.offset && this.stops[0]?.key
    if (first) this.goToRow(first)
    this.setTop(0)
    this.draw()
    this.followsTop = true
  }

  last() {
    const {total, offset} = this.shown
    if (offset + this.shape.rows.length < total) return this.goToNumber(total - 1)
    this.goToRow(this.stops.at(-1)?.key)
    this.setTop(this.place.last)
    this.draw()
  }

  page(screens) {
    const {place, stop} = this
    const line = stop ? stop.frame.y - place.top : 0
    this.followsTop = false
    this.setTop(place.top + screens * (place.screen - 2 * this.unit))
    const y = place.top + Math.min(Math.max(line, 0), place.screen)
    if (this.frameAt(y)?.kind == 'missing') return this.goToNumber(this.numberAt(y))
    const isEnd = screens < 0 ? place.top <= 0 : place.top >= place.last - 1
    const {stops} = this
    this.goToRow((isEnd && screens < 0 ? stops[0] : !isEnd && stops.find(stop => stop.frame.y + stop.frame.height > y) || stops.at(-1))?.key)
  }

  /** Goes to the next section. Returns whether there is one. */
  section(by) {
    const {shape, shown, following: {rows, pins}, cursor} = this
    const id = cursor?.slice(1)
    if (rows.size && shown.total > shape.rows.length) {
      // Only some rows are loaded, and the numbers of all sections are known.
      const number = this.pending ?? (this.row ? this.row.place + shown.offset : pins.get(id) ?? this.stop?.frame.section.start + shown.offset)
      let sum = 0
      const starts = shape.sections.filter(section => rows.get(section.id)).map(section => (sum += rows.get(section.id)) - rows.get(section.id))
      const start = starts[starts.findLastIndex(start => start <= number) + by]
      if (start >= 0) this.goToNumber(start)
      return start >= 0
    }
    const starts = this.stops.filter((stop, index, all) => stop.frame.section != all[index - 1]?.frame.section)
    const target = starts[starts.findIndex(stop => stop.frame.section == this.stop?.frame.section) + by]
    this.goToRow(target?.key)
    return !!target
  }

  // Expansion

  async expand(row, isOpen) {
    if (isOpen && !row.isParent) {
      if (!this.mayAct('ask') || !await this.send('expand', {item: row.id}) || this.rowOf(row.id)?.isOpen) return
      // They arrive before the reply, or soon after it.
      setTimeout(() => this.rowOf(row.id)?.isParent === false && this.no('Nobody has loaded rows below it'), 300)
    } else if (!row.isParent || row.isOpen == isOpen) return
    const set = this.isFiltered ? this.closed : this.toggled
    set.delete(row.id) || set.add(row.id)
    if (this.following.view.expansion) return this.askAgain()
    this.isDirty = true
    this.schedule()
  }

  // Actions

  actionsOf(key) {
    const row = this.shape.byKey.get(key)
    if (!row) return this.at.get(key)?.look?.actions ?? []
    const {actions = [], leadingActions = [], trailingActions = []} = this.itemLook(row)
    return [...new Map([...trailingActions, ...leadingActions, ...actions].reverse().map(action => [action.id, action])).values()].reverse()
      .sort((a, b) => actions.includes(b) - actions.includes(a))
  }

  /** The marked rows in the list's order. */
  get orderedMarks() {
    const place = id => this.rowOf(id)?.place ?? 0
    return [...this.marks].sort((a, b) => place(a) - place(b))
  }

  get chosen() { return this.marks.size ? this.orderedMarks : this.row ? [this.row.id] : []; }

  /** Does what Enter does: the first primary action, or else expands, or else opens the menu. */
  activate() {
    if (this.mode.kind == 'range') this.endRange()
    if (!this.mayTouch()) return
    const {row, cursor, chosen} = this
    if (cursor[0] == 'm') return this.mayAct() && this.send('perform', {action: 'more', section: cursor.slice(1)})
    const look = row ? this.itemLook(row) : {}
    const isEnabled = look.enabled !== false
    if (row && isEnabled && !this.host.dispatchEvent(new CustomEvent('choose', {cancelable: true, detail: {id: row.id, ids: chosen, item: row.item}}))) return
    const actions = this.readonly ? [] : this.actionsOf(cursor)
    const primary = isEnabled && actions.find(action => action.style == 'primary')
    if (primary) this.perform(primary)
    else if (look.toggle && isEnabled) this.check()
    else if (row?.isParent || look.hasChildren) this.expand(row, !row.isOpen)
    else if (!isEnabled) this.no(this.subject([row.id]) + ' is disabled')
    else if (actions.length) this.openMenu()
  }

  /** Switches the row's `toggle`. */
  check() {
    const {row: {id, item}} = this, {toggle, checked} = this.itemLook(this.row)
    if (this.mayAct()) this.send('propose', {operations: [{op: 'patchItems', items: [{id, content: standing(checked != 'checked', toggle)}]}]}, `${checked == 'checked' ? 'Uncheck' : 'Check'} ${this.subject([id])}`, [])
  }

  perform(action, isForList) {
    const right = rightFor(action), {row, cursor} = this
    if (!(isForList ? this.mayChange(right) : this.mayAct(right))) return
    if (action.enabled === false) return this.no(`“${action.title}” is not available now`)
    const items = isForList || !row ? [] : action.multiple ? this.chosen : [row.id]
    const subject = this.subject(items), {confirm} = action
    const title = `${action.title} ${subject}`.trim()
    const run = () => {
      const {patch, operations} = action
      const isGone = this.isWhole && items.some(id => !this.following.mirror.items.has(id))
      if (isGone) return this.no('Someone else has deleted the row in the meantime')
      if (patch) this.send('transact', {operations: [{op: 'patchItems', items: items.map(id => ({id, content: patch}))}]}, title, items)
      else if (operations) this.send('transact', {operations: JSON.stringify(operations).includes('"$item"') ? items.flatMap(id => filled(operations, id)) : operations}, title, items)
      else this.send('perform', {action: action.id, ...items.length ? {items} : cursor?.[0] == 'h' && !isForList && {section: cursor.slice(1)}, arguments: action.arguments}, title, items)
      if (action.multiple) for (const id of items) this.marks.delete(id)
    }
    if (!confirm) return run()
    this.choose(confirm === true ? title + '?' : `${confirm} ${subject && `(${subject})`}`,
      [{title: 'Cancel', key: 'n'}, {...action, enabled: true, key: 'y', run}])
  }

  /** Sends a request of the user's own. Resolves to nothing if it was refused. */
  async send(method, params, title, items = []) {
    for (const id of items) this.own.add(id)
    try {
      const result = await this.connection.request(method, {list: this.list, ...params}) ?? {}
      const {revision, changed} = result
      if (revision && changed !== false && method != 'undo') {
        if (revision - 1 != this.tip) this.done = []
        this.done.push(revision)
        this.undone = []
      }
      if (revision) this.tip = revision
      const words = typeof result.result == 'string' ? result.result : title
      if (words) this.say(words)
      return result
    } catch (error) {
      this.say(wordsOf(error), true)
    } finally {
      setTimeout(() => items.forEach(id => this.own.delete(id)), 1000)
    }
  }

  /** Undoes (or redoes) the user's own last change, unless someone else has changed the list since. */
  async undo(isRedo) {
    const [from, to] = isRedo ? [this.undone, this.done] : [this.done, this.undone]
    const revision = from.at(-1)
    if (!this.mayChange('change')) return
    if (!revision) return this.no('You have changed nothing here')
    if (this.following.revision != this.tip) return this.no('Someone else has changed the list since')
    if (await this.send('undo', {to: revision - !isRedo, ifRevision: this.tip}, isRedo ? 'Redone' : 'Undone')) to.push(from.pop())
  }

  // Overlays. Nothing moves below them.

  /** Opens a dialog with a title, with content, and with choices `{title, style?, icon?, key?, enabled?, run?}`. */
  choose(title, choices, {at, content} = {}) {
    const {dialog} = this.ui
    const buttons = choices.map(choice => {
      const button = make('button', choice.style, make('span', '', withIcon(choice)), choice.key && make('kbd', '', choice.key))
      button.disabled = choice.enabled === false
      button.onclick = async () => {
        if (choice.check && !await choice.check()) return
        dialog.close()
        this.mode = {kind: 'rows'}
        choice.run?.()
      }
      return button
    })
    dialog.className = at ? 'menu' : ''
    dialog.replaceChildren(title && make('p', '', title), content ?? '', make('div', 'choices', ...buttons))
    dialog.ariaLabel = title || 'Actions'
    this.mode = {kind: 'dialog'}
    dialog.showModal()
    dialog.onclose = () => {
      if (this.mode.kind == 'dialog') this.mode = {kind: 'rows'}
      this.scroller.focus()
      this.schedule()
    }
    // At the end of a tap: the rest of it would reach what is below. The finger that opened the menu is lifted over it, too.
    let isBeside
    dialog.onpointerdown = event => { isBeside = event.target == dialog && content?.value === undefined; }
    dialog.onclick = event => isBeside && event.target == dialog && dialog.close()
    dialog.onkeydown = event => {
      event.stopPropagation()
      if (content?.value !== undefined) return
      const index = buttons.indexOf(this.host.shadowRoot.activeElement)
      const by = {ArrowDown: 1, ArrowRight: 1, j: 1, ArrowUp: -1, ArrowLeft: -1, k: -1}[event.key]
      if (by) buttons.at((index + by) % buttons.length).focus()
      else if (event.key == 'q' || event.key == '.') dialog.close()
      else buttons[choices.findIndex(choice => choice.key == event.key)]?.click()
      if (by) event.preventDefault()
    }
    const {width, height} = dialog.getBoundingClientRect()
    const inside = (value, size, limit) => Math.max(Math.min(value, limit - size - 8), 8) + 'px'
    dialog.style.inset = at ? `${inside(at.y, height, innerHeight)} auto auto ${inside(at.x, width, innerWidth)}` : ''
  }

  menu(title, actions, at, isForList) {
    this.choose(title, actions.map(action => ({...action, key: Acting.keys[action.key] ? undefined : action.key,
      enabled: this.isUsable(action), run: () => this.perform(action, isForList)})), {at})
  }

  openMenu(at) {
    const {row, cursor} = this, {size} = this.marks
    const actions = this.actionsOf(cursor).filter(action => !row || !size || action.multiple)
    if (!actions.length) return this.openListMenu()
    if (!this.mayTouch()) return
    const {left, bottom} = (this.elements.get(cursor) ?? this.box).getBoundingClientRect()
    this.menu(row && size > 1 ? `${size} items` : '', actions, at ?? {x: left + 24, y: bottom})
  }

  openListMenu() {
    const {actions, title} = this.listLook
    const {right, bottom} = this.ui.head.getBoundingClientRect()
    if (actions?.length) this.menu(title, actions, {x: right, y: bottom}, true); else this.no('There are no actions here')
  }

  showHelp() {
    const keys = '↑ ↓ row|← → collapse, expand|g G first, last row|Tab next section|/ search|n N next, previous match|w condition|s order|Enter main action|. : actions of the row, of the list|> < actions at an end|Space v mark a row, a range|Alt-↑ Alt-↓ move the row|Ctrl-X Ctrl-V take rows, put them|+ new row|e edit|E edit accessories|u U undo, redo|y copy the text|p pause'
    this.choose('Keys', [{title: 'Close'}], {content: make('ul', '', ...keys.split('|').map(line => make('li', '', line)))})
  }

  /** Shows the actions at one end of the row under the cursor. */
  swipe(edge) {
    const actions = this.row && this.itemLook(this.row)[edge + 'Actions']
    if (!actions?.length) return this.no('This row has no actions on that side')
    if (this.readonly || !this.mayTouch()) return
    this.mode = {kind: 'swipe', item: this.row.id, edge, selected: 0,
      actions: actions.map(action => ({...action, enabled: this.isUsable(action)}))}
    this.draw()
  }

  endSwipe(action) {
    this.mode = {kind: 'rows'}
    // Its buttons go, and with them the focus.
    this.scroller.focus()
    this.draw()
    this.schedule()
    if (action) this.perform(action)
  }

  swipeKey(key) {
    const {actions, selected, edge} = this.mode
    const by = {ArrowLeft: -1, h: -1, ArrowRight: 1, l: 1, Tab: 1}[key]
    if (!by) return this.endSwipe(['Enter', ' ', edge == 'leading' ? '>' : '<'].includes(key) ? actions[selected] : actions.find(action => action.key == key))
    this.mode = {...this.mode, selected: Math.min(Math.max(selected + by, 0), actions.length - 1)}
    this.draw()
  }

  // Marks

  takesSeveral(row) { return this.look(row.section).selection == 'multiple' || this.actionsOf(row.key).some(action => action.multiple); }

  mark() {
    const {row} = this
    if (this.mode.kind == 'range') return this.endRange()
    if (!row || !this.mayTouch()) return
    const several = this.takesSeveral(row)
    if (!this.marks.delete(row.id)) {
      if (this.look(row.section).selection == 'none') return this.no('No rows can be marked here')
      if (!several) this.marks.clear()
      this.marks.add(row.id)
    }
    if (several) this.step(1); else this.draw()
  }

  /** Begins to mark a range, or ends it. */
  range(by) {
    const {row} = this
    const isOn = this.mode.kind == 'range'
    if (isOn && !by) return this.endRange()
    if (!isOn) {
      if (!row || !this.mayTouch()) return
      if (!this.takesSeveral(row)) return this.no('Only one row can be marked here')
      this.mode = {kind: 'range', from: row.place, base: this.marks}
    }
    if (by) this.step(by); else this.markRange()
    this.draw()
  }

  markRange() {
    const {from, base} = this.mode
    const to = this.row?.place ?? from
    this.marks = new Set([...base, ...this.shape.rows.slice(Math.min(from, to), Math.max(from, to) + 1).map(row => row.id)])
  }

  endRange(marks = this.marks) {
    this.marks = marks
    this.mode = {kind: 'rows'}
    this.draw()
    this.schedule()
  }

  escape() {
    if (this.mode.kind == 'range') return this.endRange(this.mode.base)
    if (this.query.search) return this.filter({search: ''}, this.here)
    this.marks.clear()
    this.draw()
  }

  // Moving rows

  reorder(by) {
    const {row} = this
    if (!row || !this.mayMove([row.id]) || !this.mayAct()) return
    const target = siblings(row)[row.index + by]
    if (target) this.move([row.id], by < 0 ? 'before' : 'after', target.id); else this.no('There is no row to move past')
  }

  /** Asks the list's handler to move rows, one after the other, beside another. */
  move(items, side, target) {
    return this.send('propose', {operations: items.map((item, index) => ({op: 'moveItem', item, [index ? 'after' : side]: items[index - 1] ?? target}))}, `Move ${this.subject(items)}`)
  }

  take() {
    if (!this.row || !this.mayAct()) return
    const {chosen} = this
    const isBelow = row => row && (chosen.includes(row.id) || isBelow(row.parent))
    const rows = chosen.map(id => this.rowOf(id)).filter(row => row && !isBelow(row.parent))
    taken = {list: this.list, items: rows.map(row => row.id), copies: rows.map(row => row.item.snapshot())}
    this.marks.clear()
    this.say(`${this.subject(taken.items)}: Ctrl-V puts ${taken.items.length == 1 ? 'it' : 'them'} after the selected row`)
    this.draw()
  }

  putTaken() {
    const after = this.row?.id
    if (!taken) return this.no('No row was taken with Ctrl-X')
    if (!after || !this.mayAct()) return
    const {list, items, copies} = taken
    if (list != this.list) return this.send('propose', {operations: [{op: 'insertItems', after, items: copies}]}, 'Copied')
    if (!this.mayMove(items, after)) return
    this.move(items, 'after', after)
    taken = undefined
  }

  // Typing

  /** Opens a field. `finish` takes the text, and `changed` each text before. */
  type(label, value, finish, changed, cancel) {
    const {prompt, input} = this.ui
    if (this.mode.kind == 'range') this.endRange()
    prompt.hidden = false
    prompt.firstChild.textContent = label
    input.value = value ?? ''
    this.mode = {kind: 'typing', finish, cancel}
    input.oninput = () => changed?.(input.value.trim())
    input.select()
  }

  endTyping(isDone) {
    const {kind, finish, cancel} = this.mode
    if (kind != 'typing') return
    try {
      if (isDone) finish(this.ui.input.value.trim()); else cancel?.()
    } catch (error) {
      return this.say(error.message)
    }
    this.mode = {kind: 'rows'}
    this.ui.prompt.hidden = true
    this.scroller.focus()
    this.schedule()
  }

  search() {
    const before = this.query.search ?? ''
    const place = this.here
    const changed = (search, to = search == before ? place : undefined) => search == (this.query.search ?? '') || this.filter({search}, to)
    // The cursor stays on the match, if there is one.
    this.type('Search', before, text => { changed(text); this.lastSearch = text || this.lastSearch; }, changed,
      () => changed(before, this.row && !this.isOther ? this.here : place))
  }

  get here() { return {cursor: this.cursor, anchor: this.anchor()}; }

  where() { this.type('Where', this.words.where, text => this.filter({where: text ? condition(text) : undefined}, undefined, {where: text})); }
  sort() { this.type('Sort by', this.words.sort, text => this.filter({sort: text ? order(text) : undefined}, undefined, {sort: text})); }

  /** Goes to the next row that has the words of the last search. */
  match(by) {
    const words = fold(this.query.search || this.lastSearch || '').split(' ').filter(Boolean)
    const {rows} = this.shape
    for (let index = (this.row?.place ?? -1) + by; words.length && rows[index]; index += by) {
      const {item} = rows[index]
      const text = fold(JSON.stringify([item.content, this.itemLook(rows[index]).text]))
      if (words.every(word => text.includes(word))) return this.goToRow(rows[index].key)
    }
    this.no('There is no further match')
  }

  add() {
    const {row, cursor, shape} = this
    if (!this.mayChange()) return
    const section = row?.section ?? shape.sections.find(section => section.id == cursor?.slice(1)) ?? shape.sections[0]
    const look = sectionLook(section?.content, this.content, this.userLook)
    const {canInsert} = look
    if (!canInsert) return this.no('The list sets no canInsert')
    const before = row ?? (cursor?.[0] == 'm' ? section.rows.at(-1) : undefined)
    const kind = canInsert.kind ?? before?.item.kind
    const first = look.layout?.type == 'table' ? this.columns(section)[0].path : ''
    const path = first[0] == '/' ? first : textPath(kind, this.userLook, this.content)
    this.type('New row', '', async text => {
      const id = 'new-' + Math.random().toString(36).slice(2)
      const place = before ? {op: 'insertItems', after: before.id} : section ? {op: 'insertItems', section: section.id, after: null} : {op: 'appendItems'}
      if (text && await this.send('propose', {operations: [{...place, items: [{id, kind, content: standing(text, path, canInsert.content)}]}]}, `Add “${text}”`)) this.goesTo = 'i' + id
    })
  }

  edit() {
    const {row} = this
    if (!row || !this.mayAct('change')) return
    const content = make('textarea')
    const {id} = row, before = row.item.content ?? null
    content.value = JSON.stringify(before, null, 2)
    content.ariaLabel = 'Content as JSON'
    // The text stays until the change is made. Changes of other members by others are kept.
    const check = () => {
      try {
        const {items} = this.following.mirror
        return this.send('transact', edited(id, before, JSON.parse(content.value), (items.get(id) ?? row.item).content ?? null, this.following.revision), `Edit ${this.subject([id])}`)
      } catch (error) {
        this.say(error.message, true)
      }
    }
    this.choose('Edit ' + this.subject([id]), [{title: 'Cancel'}, {title: 'Save', check}], {content})
  }

  copy() {
    if (!this.row || !this.mayTouch()) return
    const texts = this.chosen.map(id => this.rowOf(id) ? this.itemLook(this.rowOf(id)).text : id)
    navigator.clipboard?.writeText(texts.join('\n')).then(() => this.say('Copied'), error => this.say(error.message))
  }

  toggle(name) {
    this[name] = !this[name]
    this.slots.clear()
    this.schedule()
  }

  /** What a click on an accessory does. */
  touchAccessory({action, type}) {
    if (action) return this.perform(this.actionsOf(this.cursor).find(other => other.id == action) ?? {id: action, title: action})
    ;({detail: () => this.openMenu(), popUpMenu: () => this.openMenu(), delete: () => this.swipe('trailing'), insert: () => this.add(), multiselect: () => this.mark()})[type]?.()
  }

  static keys = {}

  key(event) {
    const {key, ctrlKey, altKey, shiftKey, metaKey} = event
    // A wall screen has no cursor to act on: its keys are the browser's own, which scroll.
    if (metaKey || event.isComposing || this.host.hasAttribute('kiosk')) return
    if (this.mode.kind == 'swipe') return event.preventDefault(), this.swipeKey(key)
    // From its last section, Tab leaves the list.
    if (key == 'Tab') return void (this.section(shiftKey ? -1 : 1) && event.preventDefault())
    const name = (ctrlKey ? '^' : altKey ? 'alt-' : shiftKey && key.length > 1 ? 'shift-' : '') + key
    const command = Acting.keys[name]
    const isAction = other => !ctrlKey && !altKey && other.key == key
    const own = this.actionsOf(this.cursor).find(isAction), ofList = this.listLook?.actions?.find(isAction)
    if (!command && !own && !ofList) return
    event.preventDefault()
    this.say('')
    if (this.readonly && (!command || /^(alt-|[.:><+eEuU]$|\^[xv]|Delete)/.test(name))) return void this.mayChange()
    if (command) command(this); else this.perform(own ?? ofList, !own)
  }
}

for (const [keys, command] of Object.entries({
  'ArrowDown j': v => v.step(1), 'ArrowUp k': v => v.step(-1), 'ArrowLeft h': v => v.across(-1), 'ArrowRight l': v => v.across(1),
  'shift-ArrowLeft': v => v.passColumns(-1), 'shift-ArrowRight': v => v.passColumns(1), 'g Home': v => v.first(), 'G End': v => v.last(),
  '^u': v => v.page(-0.5), '^d': v => v.page(0.5), PageUp: v => v.page(-1), PageDown: v => v.page(1),
  '/': v => v.search(), n: v => v.match(1), N: v => v.match(-1), w: v => v.where(), s: v => v.sort(),
  Enter: v => v.activate(), '. ContextMenu': v => v.openMenu(), ':': v => v.openListMenu(), '>': v => v.swipe('leading'), '< Delete': v => v.swipe('trailing'),
  v: v => v.range(), 'shift-ArrowDown': v => v.range(1), 'shift-ArrowUp': v => v.range(-1), Escape: v => v.escape(),
  'alt-ArrowUp': v => v.reorder(-1), 'alt-ArrowDown': v => v.reorder(1), '^x': v => v.take(), '^v': v => v.putTaken(),
  '+': v => v.add(), e: v => v.edit(), E: v => v.toggle('isEditing'), u: v => v.undo(), U: v => v.undo(true), y: v => v.copy(), p: v => v.toggle('isPaused'), '?': v => v.showHelp(),
})) for (const key of keys.split(' ')) Acting.keys[key] = command
Acting.keys[' '] = v => v.row && v.itemLook(v.row).toggle && v.mode.kind == 'rows' ? v.check() : v.mark()
