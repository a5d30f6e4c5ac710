// The page of diffable-web. docs/web.md describes its address. It draws no list itself: <diffable-list> does.

import {shared} from './diffable.js'
import './diffable-list.js'

const query = new URLSearchParams(location.search)
const home = new URL('.', import.meta.url)
const isOn = name => query.has(name) && !/^(false|0|no)$/.test(query.get(name))
const isKiosk = isOn('kiosk')
const element = id => document.getElementById(id)
const body = document.body.classList

// A kiosk is looked at even if the browser thinks that it is hidden.
const connection = shared(undefined, {name: 'page', rest: !isKiosk})

// MARK: Appearance

if (/^(light|dark)$/.test(query.get('theme'))) document.documentElement.dataset.theme = query.get('theme')
const scale = Number(query.get('scale'))
if (scale >= 0.25 && scale <= 8) document.documentElement.style.zoom = scale

if (isKiosk) {
  body.add('kiosk')
  let still
  const move = event => {
    // A row that moves under the pointer is not a movement of the pointer.
    if (event && !event.movementX && !event.movementY) return
    body.remove('still')
    clearTimeout(still)
    if (event?.pointerType !== 'touch') still = setTimeout(() => body.add('still'), 3000)
  }
  addEventListener('pointermove', move)
  move()

  // The browser takes the lock back when the page is hidden. It may refuse it, such as on a battery that is low.
  const stayAwake = () => document.hidden || navigator.wakeLock?.request('screen').catch(() => {})
  document.addEventListener('visibilitychange', stayAwake)
  stayAwake()
}

// MARK: Lists

/** The lists of the address: `?list=…`, several times, or `lists/NAME`. */
const names = query.getAll('list').filter(Boolean)
const path = location.pathname.slice(home.pathname.length)
if (path.startsWith('lists/')) names.unshift(decodeURIComponent(path.slice('lists/'.length)))

const setTitle = texts => {
  element('title').textContent = document.title = texts.join(' · ') || 'Lists'
}

const titleOf = ({content, name}) => typeof content?.title === 'string' && content.title || name

const showLists = async () => {
  const where = query.getAll('where')
  if (where.length > 1) {
    // All of them must hold, as in diffablectl view.
    const {condition} = await import('./query.js')
    query.set('where', JSON.stringify({and: where.map(condition)}))
  }
  if (query.has('sort')) query.set('sort', query.getAll('sort').join(','))
  const lists = names.map(name => {
    const list = document.createElement('diffable-list')
    list.setAttribute('list', name)
    if (names.length > 1) list.setAttribute('heading', name)
    for (const option of ['view', 'look', 'search', 'sort', 'where', 'appearance', 'min-interval', 'readonly', 'kiosk']) {
      if (/readonly|kiosk/.test(option) ? isOn(option) : query.has(option)) list.setAttribute(option, query.get(option))
    }
    return list
  })
  const updateTitle = () => {
    const contents = lists.map(list => list.following?.mirror.content)
    setTitle(contents.map((content, index) => titleOf({content, name: names[index]})))
    element('title').classList.toggle('quiet', contents.every(content => titleOf({content})))
  }
  for (const list of lists) list.addEventListener('update', event => event.detail?.list && updateTitle())
  updateTitle()
  element('lists').append(...lists)

  const rotate = Number(query.get('rotate'))
  if (lists.length > 1 && rotate > 0) {
    body.add('turns')
    let current = 0
    const turn = () => {
      lists.forEach((list, index) => { list.inert = index !== current })
      // The focus goes with it, unless it is in another part of the page.
      if ([document.body, ...lists].includes(document.activeElement)) lists[current].focus()
      current = (current + 1) % lists.length
    }
    turn()
    setInterval(turn, Math.max(rotate, 1) * 1000)
  } else if (lists.length > 1) {
    body.add('board')
  }
  if (!element('locked').contains(document.activeElement)) lists[0].focus()
}

// MARK: Mistakes in the address

const isJSON = text => { try { return !!JSON.parse(text); } catch { return false; } }
const isNumber = (least, most) => text => +text >= least && +text <= most
const isText = () => true
const isLook = text => isJSON(text) || /^(plain|grouped|insetGrouped|sidebar|sidebarPlain)$/.test(text)
/** What the values in the address can be. */
const values = {list: Boolean, search: isText, where: isText, sort: isText, kiosk: isText, readonly: isText, view: isJSON, look: isLook, appearance: isLook,
  theme: text => /^(light|dark)$/.test(text), scale: isNumber(0.25, 8), rotate: isNumber(0, Infinity), 'min-interval': isNumber(0, Infinity)}
const wrong = [...query].filter(([name, value]) => !Object.hasOwn(values, name) || !values[name](value)).map(pair => pair.join('='))
if (wrong.length) {
  element('wrong').textContent = `These parts of the address have no effect: ${wrong.join(', ')}`
  console.warn(element('wrong').textContent)
}

// MARK: All lists

const known = new Map()

const linkTo = name => {
  const target = new URLSearchParams(query)
  target.append('list', name)
  return `${home}?${target}`
}

const make = (tag, properties, ...children) => {
  const made = Object.assign(document.createElement(tag), properties)
  made.append(...children)
  return made
}

const showHome = () => {
  const lists = [...known.values()].sort((a, b) => titleOf(a).localeCompare(titleOf(b), undefined, {numeric: true}))
  const rows = lists.map(({content, name, items}) => {
    const title = titleOf({content, name})
    const text = make('span', {}, title)
    if (title !== name) text.append(make('small', {}, name))
    const count = make('small', {}, `${items.toLocaleString()} ${items === 1 ? 'item' : 'items'}`)
    return make('li', {}, make('a', {href: linkTo(name)}, text, count))
  })
  const focused = document.activeElement?.href
  element('lists').replaceChildren(rows.length ? make('ul', {className: 'lists'}, ...rows) : make('p', {className: 'none'}, 'There is no list that this token can show.'))
  // Another list has come or gone. The focus stays on its link.
  if (focused) for (const link of element('lists').querySelectorAll('a')) if (link.href === focused) link.focus()
}

const listed = lists => {
  for (const list of lists) known.set(list.list, {...list, name: list.list})
}

let isListed
/** Says whether all lists are out of date. A list says it itself. */
const showLost = () => {
  body.toggle('lost', !isListed)
  element('lost').textContent = isListed ? '' : (known.size ? 'The connection is lost' : 'There is no connection') + (connection.reason ? ': ' + connection.reason : '')
}

const followLists = async () => {
  let result
  try {
    result = await connection.request('followLists', {content: true, minInterval: 1000})
  } catch (error) {
    // An older daemon, or a bridge that does not allow it.
    if (!/methodNotFound|permissionDenied/.test(error.name)) return
    result = await connection.request('lists')
  }
  known.clear()
  listed(result.lists)
  showHome()
  isListed = true
  showLost()
}

if (names.length) {
  showLists()
} else {
  element('home').hidden = true
  connection.addEventListener('notification', ({detail: {method, params}}) => {
    if (method !== 'listsChanged') return
    listed(params.listed ?? [])
    for (const name of params.unlisted ?? []) known.delete(name)
    showHome()
  })
}

// MARK: Tokens and new versions

/** Milliseconds without a key or a touch, after which the page may load itself again. */
const restTime = 10_000

const atRest = () => new Promise(done => {
  let timer
  const wait = () => {
    clearTimeout(timer)
    timer = setTimeout(done, restTime)
  }
  for (const type of ['keydown', 'pointerdown', 'pointermove', 'wheel']) addEventListener(type, wait, {passive: true, capture: true})
  wait()
})

/** The version of the server, if it and the daemon work. */
const health = async () => {
  const response = await fetch(new URL('health', home)).catch(() => undefined)
  return response?.ok ? (await response.json()).version : undefined
}

let version
const checkVersion = async () => {
  const now = await health()
  version ??= now
  if (!now || now === version) return
  if (!isKiosk) await atRest()
  if (await health()) location.reload()
}

// A browser does not say why a WebSocket was refused. A request for a list does. Without a list, this asks for a name that is
// too long for one.
const whyRefused = async () => {
  const headers = {Accept: 'application/json', ...connection.token && {Authorization: `Bearer ${connection.token}`}}
  const name = encodeURIComponent(names[0] ?? 'x'.repeat(256))
  const response = await fetch(new URL(`lists/${name}?view={"window":{"limit":1}}`, home), {headers}).catch(() => undefined)
  const status = response?.status
  connection.reason ||= !status ? 'the server does not answer' : [403, 421, 429, 503].includes(status) ? (await response.text()).trim()
    : status !== 401 && 'no WebSocket can be opened'
  return status
}

const lock = isLocked => {
  element('locked').hidden = !isLocked
  if (!isLocked) return
  // The token that this browser has from another link applies again.
  try { delete sessionStorage[`diffable.token ${connection.url}`]; } catch {}
  element('reason').textContent = connection.token
    ? 'The token of this page is wrong, or has ended. Ask for a new link; diffable-web link NAME makes one.'
    : 'This page needs a token. The command diffable-web link NAME creates one.'
  element('token').focus()
}

element('locked').addEventListener('submit', event => {
  event.preventDefault()
  const [token] = /[\w.~-]*$/.exec(element('token').value.trim())
  location.hash = `token=${token}`
})

// Also when a link is opened in a tab that shows this page.
addEventListener('hashchange', () => location.hash.startsWith('#token=') && location.reload())

let failures = 0
connection.addEventListener('state', async () => {
  if (connection.state === 'open') {
    failures = 0
    lock(false)
    if (!names.length) followLists()
    checkVersion()
  } else if (connection.state === 'lost') {
    failures += 1
    isListed = false
    if (!names.length) setTimeout(showLost, 300)
    // The first failure of a page that has a token may be one of the network, or of a server that restarts.
    if (failures >= (connection.token ? 2 : 1) && await whyRefused() === 401 && connection.state !== 'open') lock(true)
  }
})
