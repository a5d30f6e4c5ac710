// <diffable-list list="tasks"> draws a list of diffabled and keeps it up to date, by the rules of docs/appearance.md and
// docs/viewer.md.
//
// Attributes
//   list          the name of the list
//   src           the address of diffable-web; by default where this module comes from
//   look          the viewer's own appearance as JSON, or the name of one, such as `grouped`; `appearance` means the same
//   view          a view as JSON (docs/protocol-views.md), which the others narrow
//   search, sort, where   as a user types them: words; `-.due`; `cpu>10`
//   min-interval  milliseconds between two updates, by default 33
//   readonly      nothing can be changed
//   kiosk         neither buttons nor a cursor, and no keys
//   heading       the title of a list that has none
//
// Properties: `cursor` and `marked` (ids), `following` (what `Connection.follow` returned), `connection` (another connection than
// the page's). Events: `update` (detail as of `onUpdate`), `choose` (cancelable; detail `{id, ids, item}`: Enter, a double click or a tap
// on a row), `refused` (detail `{message}`).
//
// CSS variables
//   --row         the height of a row of one line: 36px, or 44px for fingers
//   --radius      of cards and groups
//   --fg --secondary --accent              texts, secondary texts, and whatever can be touched
//   --bg --page --group --bar --line       the ground of a plain list, around groups, of a group, of a header, and of separators
//   --focus --mark                         the ground of the row under the cursor, and of marked rows
//   --red --orange --yellow --green --blue --purple --gray    the tints
// Parts: `head row card header footer titles cell badge more empty note banner`.
//
// Colours follow the `color-scheme` of the page.

import {shared} from './diffable.js'
import {set} from './draw.js'
import {Pointing} from './pointing.js'
import {condition, order} from './query.js'
import {sheet} from './style.js'

/** Milliseconds without a connection before a banner says so, and before it says since when. */
const lostTime = 300
const sinceTime = 5000

const frame = `<div id="root" class="root">
<div id="head" class="head" part="head"><div class="names"><h2 id="title"></h2><p id="subtitle"></p><p id="query"></p></div>
<button id="search" aria-label="Search"><svg width="20" height="20" viewBox="0 0 20 20" fill="none" stroke="currentColor" stroke-width="2"><circle cx="9" cy="9" r="5"/><path d="m13 13 4 4"/></svg></button><button id="add" aria-label="New row" hidden>+</button><button id="actions" aria-label="Actions of the list" hidden>⋯</button></div>
<label id="prompt" class="prompt" hidden><span></span><input id="input" maxlength="500"><button id="end" aria-label="End">✕</button></label>
<div id="banner" class="banner" part="banner" role="status"></div>
<div id="scroller" class="scroller" tabindex="0" role="grid" aria-multiselectable="true"><div id="pin" class="pin" role="none" inert aria-hidden="true"></div><div id="box" class="box" role="none"></div></div>
<div id="note" class="note" part="note" role="status"></div><dialog id="dialog"></dialog></div>`

function json(text) {
  try { return JSON.parse(text); } catch { return undefined; }
}

class ListView extends Pointing {
  /** Shows the list's title, and buttons for fingers. */
  showHead() {
    const {head, title, subtitle, actions: button, add} = this.ui
    const {title: name = this.host.getAttribute('heading') ?? '', subtitle: more = '', actions} = this.listLook
    add.hidden = !this.may('ask') || !(this.content?.canInsert === true || this.following.mirror.sections.some(section => this.look(section).canInsert))
    title.textContent = name
    subtitle.textContent = more
    button.hidden = !actions?.length || this.readonly
    head.hidden = !name && !more && !actions?.length && add.hidden
    set(this.scroller, {'aria-readonly': this.may('ask') ? null : true})
    this.scroller.ariaLabel = name || this.list
  }

  /** Shows the search, the condition and the order as they were typed. */
  showQuery() {
    const {where, sort} = this.words, {search} = this.query
    this.ui.query.textContent = [search && `“${search}”`, where && 'where ' + where, sort && 'sorted by ' + sort].filter(Boolean).join(' · ')
  }

  showBanner() {
    const {banner, root} = this.ui
    const {state, reason: cause} = this.connection, {live, time} = this.following ?? {}
    const isLost = state && (state != 'open' || cause)
    // A connection that is open again shows nothing new until the list has arrived.
    const reason = isLost || (live === undefined && !this.absence && this.isLoaded) ? (this.isLoaded ? 'The connection is lost' : 'There is no connection') + (cause ? ': ' + cause : '')
      : this.absence ?? (live === undefined ? 'Waiting for the list' : live ? '' : 'The source of this list cannot be reached')
    clearTimeout(this.bannerTimer)
    this.lostAt = reason ? this.lostAt ?? new Date(live === false && time || Date.now()) : undefined
    const age = reason ? Date.now() - this.lostAt : 0
    const next = [lostTime, sinceTime].find(time => time > age)
    if (reason && next) this.bannerTimer = setTimeout(() => this.showBanner(), next - age)
    const isShown = age >= lostTime
    const since = age >= sinceTime ? ', as of ' + this.lostAt.toLocaleTimeString([], {timeStyle: 'short'}) : ''
    banner.textContent = isShown ? reason + since : ''
    root.classList.toggle('dim', isShown)
  }

  paint() {
    super.paint()
    const first = this.shape.sections[0]
    this.ui.root.classList.toggle('paged', /^(grouped|insetGrouped|sidebar)$/.test(first ? this.look(first).appearance : this.content?.appearance))
  }
}

export class DiffableList extends HTMLElement {
  static observedAttributes = ['list', 'src', 'look', 'appearance', 'view', 'search', 'sort', 'where', 'min-interval', 'readonly']
  #view
  #end
  #isWaiting

  constructor() {
    super()
    const root = this.attachShadow({mode: 'open'})
    root.adoptedStyleSheets = [sheet]
    root.innerHTML = frame
    const ui = Object.fromEntries(['root', 'head', 'title', 'subtitle', 'query', 'search', 'add', 'actions', 'prompt', 'input', 'end', 'banner', 'scroller', 'pin', 'box', 'note', 'dialog']
      .map(name => [name, root.querySelector('#' + name)]))
    const view = this.#view = new ListView(this, ui)
    const {input} = ui
    ui.search.onclick = () => view.search()
    ui.add.onclick = () => view.add()
    // An empty text ends a search, a condition and an order. The field keeps the focus until then.
    ui.end.onpointerdown = event => event.preventDefault()
    ui.end.onclick = () => {
      input.value = ''
      view.endTyping(true)
    }
    ui.actions.onclick = () => view.openListMenu()
    input.onkeydown = event => {
      const command = {Enter: () => view.endTyping(true), Escape: () => view.endTyping(), ArrowDown: () => view.step(1), ArrowUp: () => view.step(-1)}[event.key]
      event.stopPropagation()
      if (!command || event.isComposing) return
      event.preventDefault()
      command()
    }
    input.onblur = () => document.hasFocus() && view.endTyping(true)
  }

  connectedCallback() { this.attributeChangedCallback(); }
  disconnectedCallback() { this.#end?.(); }

  /** Follows the list after all attributes of one task have changed. */
  attributeChangedCallback() {
    if (!this.#isWaiting) queueMicrotask(() => {
      this.#isWaiting = false
      this.#end?.()
      if (this.isConnected && this.getAttribute('list')) this.#follow()
    })
    this.#isWaiting = true
  }

  #follow() {
    const view = this.#view
    const [list, src, look, base, search, sort, where] = ['list', 'src', 'look', 'view', 'search', 'sort', 'where'].map(name => this.getAttribute(name) ?? undefined)
    const connection = this.connection ?? shared(src && new URL('socket', new URL(src, document.baseURI)))
    const user = this.getAttribute('appearance') ?? look
    const query = {search, sort: sort && order(sort)}, words = {sort}
    try { [query.where, words.where] = [where && condition(where), where]; } catch (error) { view.say(error.message, true); }
    for (const [name, text] of Object.entries({view: base, look: user})) {
      if (text && json(text) === undefined && !/^\w+$/.test(name == 'look' && text)) console.warn(`<diffable-list list="${list}">: ${name} is not JSON`, text)
    }
    view.start(connection, list, {baseView: json(base), userLook: json(user) ?? {appearance: user}, minInterval: +this.getAttribute('min-interval') || 33,
      readonly: this.hasAttribute('readonly'), query, words, accepted: {query, words}})
    const changed = () => view.showBanner()
    connection.addEventListener('state', changed)
    this.#end = () => {
      connection.removeEventListener('state', changed)
      view.following.stop()
    }
    view.showQuery()
    changed()
  }

  focus(options) { this.#view.scroller.focus(options); }
  get following() { return this.#view.following; }
  get cursor() { return this.#view.row?.id; }
  set cursor(id) { this.#view.goToRow('i' + id); }
  get marked() { return this.#view.orderedMarks; }
  set marked(ids) {
    this.#view.marks = new Set(ids)
    this.#view.schedule()
  }
}

customElements.define('diffable-list', DiffableList)
