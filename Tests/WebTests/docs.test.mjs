// Runs the code of docs/javascript.md. React and Vue are small stand-ins, so that the tests need no package.

import assert from 'node:assert/strict'
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {after, afterEach, before, beforeEach, test} from 'node:test'
import {pathToFileURL} from 'node:url'
import {Client, Daemon, LineSocket, root, until} from './support.mjs'

const page = readFileSync(join(root, 'docs/javascript.md'), 'utf8')
const blocks = new Map([...page.matchAll(/^```js (\S+)\n(.*?)^```$/gms)].map(([, name, code]) => [name, code]))

const react = `
  // As much of React as one component needs that is drawn again whenever its state changes.
  let memo, keys, stop, subscribed
  export const component = {}
  export const useMemo = (make, now) => {
    if (!keys || keys.some((key, index) => key !== now[index])) [memo, keys] = [make(), now]
    return memo
  }
  export const useSyncExternalStore = (subscribe, get) => {
    if (subscribe !== subscribed) {
      stop?.()
      subscribed = subscribe
      let last = get()
      stop = subscribe(() => {
        if (get() === last) throw Error('the state is the same object')
        last = get()
        component.draw()
      })
    }
    return get()
  }
  export const unmount = () => stop()
`
const vue = `
  const ends = []
  export const shallowRef = value => ({value})
  export const onScopeDispose = end => ends.push(end)
  export const dispose = () => { for (const end of ends) end() }
`

// The connections of the examples are never closed. Their timers must not keep the tests from ending.
const {setTimeout} = globalThis
globalThis.setTimeout = (...all) => setTimeout(...all).unref()

let daemon
let client
let directory
let connections

before(async () => {
  daemon = await Daemon.start()
  client = new Client(daemon.socket)
  directory = mkdtempSync(join(tmpdir(), 'docs-'))
  writeFileSync(join(directory, 'react.mjs'), react)
  writeFileSync(join(directory, 'vue.mjs'), vue)
})

after(async () => {
  client.close()
  await daemon.stop()
  rmSync(directory, {recursive: true})
})

beforeEach(async () => {
  await client.request('createList', {list: 'tasks', durability: 'volatile'})
  await publish(['milk', 'bread', 'tea'])
  connections = new Set()
  globalThis.WebSocket = class extends LineSocket {
    constructor() {
      super(`ws://unix${daemon.socket}`)
      connections.add(this)
    }
  }
})

afterEach(async () => {
  await client.request('deleteList', {list: 'tasks'})
  for (const socket of connections) socket.onclose = null
  LineSocket.cut()
  delete globalThis.document
})

const publish = (ids, options) => client.request('apply', {list: 'tasks', ...options, snapshot: {sections: [{id: 's', items: ids.map(id => ({id, content: {text: id.toUpperCase()}}))}]}})

let count = 0
/** Runs a block with a copy of diffable.js, so that each test has connections of its own. */
const run = async (name, after = '') => {
  const copy = `diffable-${++count}.mjs`
  writeFileSync(join(directory, copy), readFileSync(join(root, 'Web/diffable.js')))
  const code = blocks.get(name).replace(/from '(?:\.\.?|https:\/\/[^/]+)\/diffable.js'/, `from './${copy}'`).replace(/from '(react|vue)'/, "from './$1.mjs'")
  const file = join(directory, `${name}-${count}.mjs`)
  writeFileSync(file, `${code}\n${after}`)
  return import(pathToFileURL(file))
}

/** As much of a document as the examples need. */
class Element {
  children = []
  parent = null
  writes = 0
  get textContent() { return this.text }
  set textContent(text) {
    this.text = text
    this.writes += 1
  }
  get firstChild() { return this.children[0] ?? null }
  get nextSibling() { return this.parent.children[this.parent.children.indexOf(this) + 1] ?? null }
  get texts() { return this.children.map(({text}) => text) }
  remove() {
    this.parent.children.splice(this.parent.children.indexOf(this), 1)
    this.parent = null
  }
  insertBefore(child, place) {
    if (child.parent) child.remove()
    this.children.splice(place ? this.children.indexOf(place) : this.children.length, 0, child)
    child.parent = this
  }
  replaceChildren(...children) {
    this.children = children
    for (const child of children) child.parent = this
  }
}

const showDocument = () => {
  const tasks = new Element()
  globalThis.document = {hidden: false, addEventListener() {}, createElement: () => new Element(), getElementById: id => { assert.equal(id, 'tasks'); return tasks }}
  globalThis.addEventListener = () => {}
  return tasks
}

const shows = (get, ids) => until(() => JSON.stringify(get()) === JSON.stringify(ids.map(id => id.toUpperCase())), `showing ${ids}`)

test('all blocks are run', () => {
  assert.deepEqual([...blocks.keys()], ['tasks.js', 'connection', 'follow', 'dom', 'react', 'vue', 'change', 'lists', 'other'])
})

test('the first page', async () => {
  const tasks = showDocument()
  await run('tasks.js')
  await shows(() => tasks.texts, ['milk', 'bread', 'tea'])
  await publish(['tea', 'milk'])
  await shows(() => tasks.texts, ['tea', 'milk'])
})

test('plain DOM keeps the rows that stay', async () => {
  const tasks = showDocument()
  await run('dom')
  await shows(() => tasks.texts, ['milk', 'bread', 'tea'])
  const [milk, , tea] = tasks.children
  await publish(['tea', 'soap', 'milk'])
  await shows(() => tasks.texts, ['tea', 'soap', 'milk'])
  assert.equal(tasks.children[0], tea)
  assert.equal(tasks.children[2], milk)
  assert.equal(milk.writes, 1)
  // After a reset as well, and after a lost connection.
  await publish(['milk', 'bread'], {usingReloadData: true})
  await shows(() => tasks.texts, ['milk', 'bread'])
  LineSocket.cut()
  await publish(['bread', 'milk', 'eggs'])
  await shows(() => tasks.texts, ['bread', 'milk', 'eggs'])
  assert.equal(tasks.children[1], milk)
})

test('the React hook', async () => {
  const {useList, component, unmount} = await run('react', "export {component, unmount} from './react.mjs'")
  let view = {}
  let shown
  component.draw = () => { shown = useList('tasks', view) }
  component.draw()
  assert.deepEqual(shown, {sections: [], total: 0, isLive: false})
  const texts = () => shown.sections.flatMap(({items = []}) => items.map(({content}) => content.text))
  await shows(texts, ['milk', 'bread', 'tea'])
  assert.equal(shown.isLive, true)
  assert.equal(shown.total, 3)
  view = {search: 'bread'}
  component.draw()
  await shows(texts, ['bread'])
  await client.request('deleteList', {list: 'tasks'})
  await until(() => shown.error?.name === 'listDeleted' && !shown.isLive, 'the end of the list')
  await client.request('createList', {list: 'tasks'})
  unmount()
})

test('the Vue composable', async () => {
  const {useList, dispose} = await run('vue', "export {dispose} from './vue.mjs'")
  const {state, setView} = useList('tasks')
  const texts = () => state.value.sections.flatMap(({items = []}) => items.map(({content}) => content.text))
  await shows(texts, ['milk', 'bread', 'tea'])
  await setView({sort: ['id']})
  assert.deepEqual(texts(), ['BREAD', 'MILK', 'TEA'])
  dispose()
  await publish(['soap'])
  await client.request('ping')
  assert.deepEqual(texts(), ['BREAD', 'MILK', 'TEA'])
})

test('a connection, a window and a change', async t => {
  const lines = []
  t.mock.method(console, 'log', line => lines.push(line))
  await run('connection')
  await until(() => lines.includes('open'), 'the connection')
  await run('follow')
  await until(() => lines.includes('3 rows, 3 of them are new here'), 'the update')
  const {check} = await run('change')
  await until(() => check('milk').then(({changed}) => changed, error => { assert.equal(error.name, 'connectionLost') }), 'the change')
  assert.deepEqual((await client.request('snapshot', {list: 'tasks'})).snapshot.sections[0].items[0].content, {text: 'MILK', done: true})
  await assert.rejects(check('nothing'), {name: 'noSuchItem', code: 4, item: 'nothing'})
  await client.request('deleteList', {list: 'tasks'})
  await until(() => lines.includes('there is no list "tasks"'), 'the end')
  await client.request('createList', {list: 'tasks'})
})

test('another origin', async () => {
  await run('other')
})

test('all lists', async () => {
  const {lists} = await run('lists', 'export {lists}')
  await until(() => lists.has('tasks'), 'the list')
  await client.request('createList', {list: 'new', durability: 'volatile'})
  await until(() => lists.has('new'), 'the new list')
  await client.request('deleteList', {list: 'new'})
  await until(() => !lists.has('new'), 'the end of the new list')
})
