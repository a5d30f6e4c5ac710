// Follows diffabled's lists in a browser, through diffable-web. It draws nothing. docs/javascript.md explains it, and
// diffable.d.ts has the types. The file is served as it is, without the lines that are only a comment.

const lost = Object.assign(Error('the connection is lost'), {name: 'connectionLost'})

// What a node of each type has below it, as JSON names it.
const below = {lists: 'sections', sections: 'items', items: 'children'}
// What an operation sets; 0 if it has the new members itself.
const flags = {reload: 0, reconfigure: 0, expand: {expanded: true}, collapse: {expanded: null}, fold: {folded: true}, unfold: {folded: null}}
const members = ['id', 'kind', 'content', 'expanded', 'folded']

/**
 * The list itself, a section or an item. Its children are a linked list, so a move takes the same time in a list of any
 * length. `ends` is before the first and after the last of them. The array of the children is made when it is read.
 * Each method that changes a node returns a function that undoes it.
 */
class Node {
  constructor(type, given = {}) {
    const ends = {parent: this}
    ends.prev = ends.next = ends
    Object.assign(this, {type, ends})
    this.set(given)
  }

  get children() {
    let {cached, ends: {next}} = this
    if (!cached) for (cached = this.cached = []; next !== this.ends; next = next.next) cached.push(next)
    return cached
  }

  get items() { return this.children }

  set(given) {
    const old = {}
    for (const key of members) if (key in given) [old[key], this[key]] = [this[key], given[key] ?? undefined]
    return () => Object.assign(this, old)
  }

  link(parent, prev) {
    const {next} = prev
    Object.assign(this, {parent, prev, next})
    prev.next = next.prev = this
    parent.cached = null
    return () => this.unlink()
  }

  unlink() {
    const {parent, prev, next} = this
    prev.next = next
    next.prev = prev
    parent.cached = null
    return () => this.link(parent, prev)
  }

  snapshot() {
    const json = {}
    for (const key of members) if (this[key] !== undefined) json[key] = this[key]
    if (this.children[0] || !this.parent) json[below[this.type]] = this.children.map(child => child.snapshot())
    return json
  }
}

/** A local copy of a list, or of the part of the list that a view shows. */
class Mirror {
  root = new Node('lists')
  nodes = {sections: new Map(), items: new Map()}

  get content() { return this.root.content }
  get sections() { return this.root.children }
  get items() { return this.nodes.items }

  /** Returns the JSON that the daemon's `snapshot` has. */
  snapshot() { return this.root.snapshot() }

  /** Applies all operations and notes them in `update`. If one of them does not fit, it applies none and throws. */
  apply(operations, update) {
    const undo = []
    const target = update.reason ? new Mirror() : this
    try {
      for (const operation of operations) target.run(operation, undo, update)
    } catch (error) {
      for (const step of undo.reverse()) step()
      throw error
    }
    if (target === this) return
    for (const id of this.items.keys()) update[update.inserted.delete(id) ? 'changed' : 'deleted'].add(id)
    Object.assign(this, target)
  }

  run(operation, undo, update) {
    const {op, section, item, parent, after} = operation
    const [, verb, what] = /^([a-z]+)(List|Section|Item)/.exec(op)
    const type = `${what.toLowerCase()}s`
    const fail = () => { throw Error(op) }
    const find = (type, id) => this.nodes[type].get(id) ?? fail()
    const note = (node, set) => (node.type === 'items' ? update[set] : update.sections).add(node.id)
    const insert = (type, given, above, prev) => {
      const node = new Node(type, given)
      const nodes = this.nodes[type]
      if (nodes.has(node.id)) fail()
      nodes.set(node.id, node)
      undo.push(() => nodes.delete(node.id), node.link(above, prev))
      note(node, 'inserted')
      for (const child of given[below[type]] ?? []) insert('items', child, node, node.ends.prev)
      return node
    }
    const forget = node => {
      const nodes = this.nodes[node.type]
      nodes.delete(node.id)
      undo.push(() => nodes.set(node.id, node))
      note(node, 'deleted')
      node.children.forEach(forget)
    }

    if (what === 'List') {
      undo.push(this.root.set(operation))
      update.list = true
    } else if (/append|insert|move/.test(verb)) {
      const above = what === 'Section' ? this.root : parent ? find('items', parent) : find('sections', section)
      let prev = verb === 'append' ? above.ends.prev : after ? find(type, after) : above.ends
      const node = verb === 'move' && find(type, item ?? section)
      for (let other = prev; other; other = other.parent) if (prev.parent !== above || other === node) fail()
      if (node) {
        undo.push(node.unlink(), node.link(above, prev))
        note(node, 'moved')
      } else {
        for (const given of operation[type]) prev = insert(type, given, above, prev)
      }
    } else {
      for (const given of operation[type]) {
        const node = find(type, given.id ?? given)
        if (verb === 'delete') {
          undo.push(node.unlink())
          forget(node)
        } else {
          undo.push(node.set((flags[verb] ?? fail()) || given.id && given || {}))
          note(node, 'changed')
        }
      }
    }
  }
}

/** Takes the token out of the page's address, or the one that this tab or this browser has stored. */
const storedToken = key => {
  let token
  try {
    token = /^#token=([\w.~-]+)$/.exec(location.hash)?.[1]
    if (!token) return sessionStorage[key] ?? localStorage[key]
    sessionStorage[key] = token
    history.replaceState(history.state, '', location.pathname + location.search)
  } catch {
    // Node has no page. A sandboxed frame has no storage, and the token stays in the address.
  }
  return token
}

/** Stores a token that has opened a connection, for this tab and for new ones. A wrong token does not replace a good one. */
const keepToken = (key, token) => {
  try {
    if (key && token) sessionStorage[key] = localStorage[key] = token
  } catch {}
}

/** A WebSocket that is opened again when it is lost. It carries requests, and any number of lists. */
export class Connection extends EventTarget {
  #key
  #socket
  #timer
  #losses = 0
  #lastID = 0
  #calls = new Map()
  #followings = new Set()
  #takers = new Map()

  constructor(url, {token, name, rest = true} = {}) {
    super()
    this.url = new URL(url ?? 'socket', import.meta.url).href.replace(/^http/, 'ws')
    if (!token) this.#key = `diffable.token ${this.url}`
    this.token = token ?? storedToken(this.#key)
    this.name = name
    this.#connect()

    let resting
    const look = () => {
      clearTimeout(resting)
      if (!document.hidden) this.#wake()
      else if (rest) resting = setTimeout(this.#lose, 30_000, 'resting')
    }
    if (!globalThis.document) return
    document.addEventListener('visibilitychange', look)
    addEventListener('online', () => this.state === 'resting' || this.#wake())
    look()
  }

  /** Sends a request. It is rejected at once while there is no connection: nothing is queued. */
  request(method, params = {}) {
    return new Promise((resolve, reject) => this.#call(method, params, (error, result) => error ? reject(error) : resolve(result)))
  }

  close() {
    this.#wake = () => {}
    this.#lose('resting')
  }

  #arm(time, action) {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(action, time)
  }

  #become(state) {
    this.state = state
    this.dispatchEvent(new Event('state'))
  }

  #connect = () => {
    this.#arm(40_000, this.#lose)
    const socket = this.#socket = new WebSocket(this.url, ['diffable.v1'].concat(this.token ? `diffable.token.${this.token}` : []))
    socket.onopen = () => {
      if (this.name) this.#call('hello', {name: this.name})
      this.state = 'open'
      keepToken(this.#key, this.token)
      for (const {line} of this.#calls.values()) socket.send(line)
      for (const ask of this.#followings) ask(true)
      this.#become('open')
    }
    socket.onmessage = ({data}) => this.#receive(JSON.parse(data))
    socket.onclose = ({reason}) => {
      // Why the server ended it; a browser does not say why a socket could not be opened.
      if (reason) this.reason = reason
      this.#lose()
    }
    this.#become('connecting')
  }

  #wake = () => {
    if (this.state === 'open') this.#probe()
    else if (this.state !== 'connecting') this.#connect()
  }

  #probe = () => {
    this.#call('ping', {})
    // If no line arrives until then, there was none for 40 s.
    this.#arm(5_000, this.#lose)
  }

  #lose = (state = 'lost') => {
    const socket = this.#socket
    socket.onopen = socket.onmessage = socket.onclose = null
    socket.close()
    const calls = this.#calls
    this.#calls = new Map()
    this.#takers.clear()
    // The time is random, so that a thousand pages do not return to a restarted server in the same moment.
    this.#arm(250 + Math.random() * Math.min(250 * 2 ** this.#losses++, 7750), this.#connect)
    if (state === 'resting') clearTimeout(this.#timer)
    this.#become(state)
    for (const {reply} of calls.values()) reply(lost)
  }

  #call(method, params, reply = () => {}) {
    if (!this.#socket.onclose) return reply(lost)
    const line = JSON.stringify({id: ++this.#lastID, method, params})
    // While the connection is being opened, the line is sent when it is open.
    this.#calls.set(this.#lastID, {reply, line})
    if (this.state === 'open') this.#socket.send(line)
  }

  #receive(message) {
    const {id, method, params, result, error} = message
    // A bookmark arrives after 30 s without another line of its list.
    this.#arm(35_000, this.#probe)
    if (!error) this.reason = this.#losses = 0
    const call = this.#calls.get(id)
    this.#calls.delete(id)
    const take = this.#takers.get(params?.subscription)
    if (call) call.reply(error && Object.assign(Error(error.message), error, error.data), result)
    else if (take) take(method, params)
    else this.dispatchEvent(new CustomEvent('notification', {detail: message}))
  }

  /** Follows a list. The functions are called after the object that this returns is up to date. */
  follow(list, {view = {}, minInterval = 33, onUpdate, onEnd} = {}) {
    // `wish` is the view that the caller wants, `asked` was sent last, `answered` applies to the next group that begins,
    // `coming` to the group that is arriving, and `following.view` is shown. They are compared by identity.
    let wish = structuredClone(view)
    let asked, answered, coming
    let isFresh = true
    let told
    let parts = []
    let waiting = []
    /** Keeps or rejects the promises of `setView`. */
    const settle = error => {
      for (const [resolve, reject] of waiting.splice(0)) error ? reject(error) : resolve()
    }
    const isCurrent = () => this.#takers.get(following.subscription) === take
    const leave = () => {
      const {subscription} = following
      this.#takers.delete(subscription)
      this.#call('unsubscribe', {subscription})
    }
    /** Subscribes with the wish, or sends it as another view. One such request is on its way at any time. */
    const ask = isNew => {
      // Nothing is on its way on a new connection.
      if (isNew) [asked, answered, told, parts] = [,,, []]
      if (asked === wish || asked !== answered || this.state !== 'open') return
      const sent = asked = wish
      const {subscription, epoch, revision, view} = following
      const since = epoch && {epoch, revision, view}
      isNew = !isCurrent()
      const reply = (error, result) => {
        // The reply is to a subscription that there is no longer.
        if (error === lost || !isNew && !isCurrent()) return
        if (error) {
          if (isNew && epoch) {
            // A daemon may refuse to continue from a state. Then it sends the whole list.
            following.epoch = undefined
            return ask(true)
          }
          // A new view may be the reason. The old one was accepted before.
          if (isNew && sent === view) end(error)
          if (wish === sent) {
            wish = answered ?? view
            settle(error)
          }
          asked = answered
          return wish !== sent && ask()
        }
        answered = sent
        if (isNew) {
          ({subscription: following.subscription, may: following.may} = result)
          if (!this.#followings.has(ask)) return leave()
          this.#takers.set(following.subscription, take)
          if (!result.epoch) gone('noSuchList')
          // It is live again, also if nothing has changed in the meantime.
          else if (result.resumed) onUpdate?.(news())
        }
        ask()
      }
      if (isNew) this.#call('subscribe', {list, view: sent, since, minInterval, bookmark: 30_000, ifAbsent: 'wait'}, reply)
      else this.#call('setView', {subscription, view: sent}, reply)
    }
    /** Says that there is no list to show. The mirror keeps what it has. */
    const end = error => {
      parts = []
      Object.assign(following, {error, epoch: undefined})
      onEnd?.(error)
    }
    const gone = name => end({name, message: `there is no list "${list}"`})
    /** An update without changes. */
    const news = reason => ({
      reason, isView: coming !== following.view, list: !!reason,
      inserted: new Set(), deleted: new Set(), moved: new Set(), changed: new Set(), sections: new Set(),
    })
    /** Takes a notification of the current subscription. */
    const take = (method, params) => {
      if (params.operations) {
        if (!parts.length) coming = answered
        parts.push(params)
        if (!params.more) show()
      } else if (method === 'bookmark') {
        // It has the epoch and the revision, and what it says about rights, handlers and liveness.
        ;({live: isFresh = isFresh, ...params} = params)
        Object.assign(following, params)
        const {live, time, may, handles, actions} = following
        const now = JSON.stringify([live, time, may, handles, actions])
        // Most are only heartbeats.
        if (told !== (told = now)) onUpdate?.(news())
      } else if (method === 'listDeleted') {
        gone(method)
      } else if (method === 'subscriptionEnded') {
        this.#takers.delete(params.subscription)
        end({name: params.reason, message: params.message})
        // The daemon answers when the list can be seen again.
        if (params.reason === 'permissionDenied') ask(true)
      }
    }
    /** Applies a complete group. */
    const show = () => {
      const group = Object.assign({}, ...parts)
      // Only a reset has a reason.
      const {reason} = group
      const update = news(reason)
      try {
        for (const {from} of parts) if (!reason && from !== following.revision) throw Error(`from ${from}`)
        following.mirror.apply(parts.flatMap(({operations}) => operations), update)
      } catch (error) {
        console.warn(`changes of ${list} do not fit:`, error, parts)
        following.epoch = undefined
        if (reason) return this.#lose()
        leave()
        return ask(true)
      }
      parts = []
      const {epoch = following.epoch, revision, offset = 0, total = following.mirror.items.size, anchor} = group
      // The item that took the place of a deleted anchor, and where `keep` has led. The daemon cannot know either when the
      // client comes back with `since`.
      if (anchor) coming.window.anchor = anchor
      if (coming.window?.keep) coming.window.offset = offset
      Object.assign(following, {epoch, revision, offset, total, view: coming, error: undefined})
      for (const name of ['pins', 'rows']) following[name] = new Map([...reason ? [] : following[name], ...Object.entries(group[name] ?? {})])
      if (coming === wish) settle()
      onUpdate?.(update)
    }
    /** What the caller gets. */
    const following = {
      list,
      mirror: new Mirror(),
      view: wish,
      offset: 0,
      total: 0,
      pins: new Map(),
      rows: new Map(),

      get live() { return following.epoch && isCurrent() ? isFresh : undefined },

      setView: view => new Promise((...callbacks) => {
        wish = structuredClone(view)
        waiting.push(callbacks)
        ask()
      }),

      stop: () => {
        this.#followings.delete(ask)
        if (isCurrent()) leave()
      },
    }

    this.#followings.add(ask)
    ask(true)
    return following
  }
}

const connections = {}

/** Returns the page's only connection to `url`. All `<diffable-list>` elements use it. The first call's options count. */
export const shared = (url, options) => connections[url] ??= new Connection(url, options)
