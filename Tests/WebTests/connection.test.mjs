import assert from 'node:assert/strict'
import {afterEach, beforeEach, mock, test} from 'node:test'
import {Connection} from '../../Web/diffable.js'
import {FakeSocket} from './support.mjs'

const address = 'ws://example.org/socket'
const append = [{op: 'appendSections', sections: [{id: 's', items: [{id: 'a'}, {id: 'b', content: 1}, {id: 'c'}]}]}]
const whole = {sections: [{id: 's', items: [{id: 'a'}, {id: 'b', content: 1}, {id: 'c'}]}]}

/** Follows a list that has three items. */
const follow = (options, connection = new Connection(address)) => {
  FakeSocket.last.open()
  const updates = []
  const ends = []
  const following = connection.follow('tasks', {onUpdate: update => updates.push(update), onEnd: error => ends.push(error), ...options})
  FakeSocket.last.answer('subscribe', {subscription: 1, list: 'tasks', epoch: 'E', revision: 1})
  FakeSocket.last.notify('reset', {epoch: 'E', revision: 1, reason: 'initial', operations: append})
  return {connection, following, updates, ends, socket: FakeSocket.last}
}

const states = connection => {
  const all = []
  connection.addEventListener('state', () => all.push(connection.state))
  return all
}

let warnings

beforeEach(() => {
  FakeSocket.all = []
  globalThis.WebSocket = FakeSocket
  mock.timers.enable({apis: ['setTimeout']})
  warnings = []
  mock.method(console, 'warn', (...parts) => warnings.push(parts))
})

afterEach(() => {
  mock.timers.reset()
  mock.restoreAll()
  for (const name of ['document', 'location', 'localStorage', 'sessionStorage', 'history', 'addEventListener']) delete globalThis[name]
})

const page = (address = 'https://example.org/page?list=tasks') => {
  const listeners = {}
  const stored = {}
  globalThis.location = new URL(address)
  globalThis.localStorage = stored
  globalThis.sessionStorage = {}
  globalThis.history = {state: 7, replaceState: (state, title, url) => { globalThis.location = new URL(url, globalThis.location) }}
  globalThis.document = {hidden: false, addEventListener: (name, listener) => { listeners[name] = listener }}
  globalThis.addEventListener = (name, listener) => { listeners[name] = listener }
  return {
    stored,
    online: () => listeners.online(),
    hide: hidden => {
      globalThis.document.hidden = hidden
      listeners.visibilitychange()
    },
  }
}

test('the token is in the subprotocol', () => {
  new Connection(address, {token: 'T'})
  assert.deepEqual(FakeSocket.last.protocols, ['diffable.v1', 'diffable.token.T'])
  new Connection(address)
  assert.deepEqual(FakeSocket.last.protocols, ['diffable.v1'])
})

test('a token in the address is stored and removed from the address', () => {
  page('https://example.org/page?list=tasks#token=a-b_c')
  const connection = new Connection('https://example.org/socket')
  assert.equal(connection.token, 'a-b_c')
  assert.equal(connection.url, 'wss://example.org/socket')
  assert.equal(location.href, 'https://example.org/page?list=tasks')
  assert.equal(new Connection('https://example.org/socket').token, 'a-b_c')
  assert.equal(new Connection('https://other.org/socket').token, undefined, 'another server gets no token')
})

test('a token is stored for the tab, and for the browser when it has opened a connection', () => {
  const {stored} = page('https://example.org/page#token=wrong')
  const key = 'diffable.token wss://example.org/socket'
  stored[key] = 'good'
  assert.equal(new Connection('https://example.org/socket').token, 'wrong')
  FakeSocket.last.drop()
  assert.equal(stored[key], 'good')
  assert.equal(sessionStorage[key], 'wrong')
  location = new URL('https://example.org/page#token=new')
  new Connection('https://example.org/socket')
  FakeSocket.last.open()
  assert.equal(stored[key], 'new')
})

test('without storage, the token stays in the address', () => {
  page('https://example.org/#token=T')
  for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(globalThis, name, {configurable: true, get: () => { throw Error('SecurityError') }})
  assert.equal(new Connection(address).token, 'T')
  assert.equal(location.hash, '#token=T')
})

test('an option is preferred to a token in the address', () => {
  page('https://example.org/#token=T')
  assert.equal(new Connection(address, {token: 'U'}).token, 'U')
})

test('requests are answered in any order', async () => {
  const connection = new Connection(address)
  FakeSocket.last.open()
  const first = connection.request('perform', {list: 'tasks', action: 'x'})
  const second = connection.request('ping')
  FakeSocket.last.answer('ping', {})
  FakeSocket.last.refuse('perform', {code: 21, message: 'not today', data: {name: 'refused', list: 'tasks'}})
  assert.deepEqual(await second, {})
  await assert.rejects(first, {name: 'refused', message: 'not today', code: 21, data: {name: 'refused', list: 'tasks'}})
})

test('a request waits while the connection is being opened, and fails when it is lost', async () => {
  const connection = new Connection(address, {name: 'page'})
  const request = connection.request('lists')
  assert.deepEqual(FakeSocket.last.sent, [])
  FakeSocket.last.open()
  assert.deepEqual(FakeSocket.last.sent.map(({method}) => method), ['lists', 'hello'])
  FakeSocket.last.drop()
  await assert.rejects(request, {name: 'connectionLost'})
  await assert.rejects(connection.request('lists'), {name: 'connectionLost'})
  mock.timers.tick(500)
  const later = connection.request('ping')
  FakeSocket.last.drop()
  await assert.rejects(later, {name: 'connectionLost'})
})

test('waits grow from 250 ms to 8 s, and are short again after a line', () => {
  const connection = new Connection(address)
  mock.method(Math, 'random', () => 0)
  const count = () => FakeSocket.all.length
  FakeSocket.last.drop()
  assert.equal(connection.state, 'lost')
  mock.timers.tick(249)
  assert.equal(count(), 1)
  mock.timers.tick(1)
  assert.equal(count(), 2)
  Math.random.mock.mockImplementation(() => 1)
  for (const wait of [750, 1250, 2250, 4250, 8000, 8000]) {
    FakeSocket.last.drop()
    const before = count()
    mock.timers.tick(wait - 1)
    assert.equal(count(), before, `before ${wait} ms`)
    mock.timers.tick(1)
    assert.equal(count(), before + 1, `after ${wait} ms`)
  }
  FakeSocket.last.open()
  FakeSocket.last.receive({jsonrpc: '2.0', id: null, error: {code: 11, message: 'too many', data: {name: 'tooLarge'}}})
  FakeSocket.last.drop()
  mock.timers.tick(7_999)
  assert.equal(connection.state, 'lost')
  mock.timers.tick(1)
  FakeSocket.last.open()
  FakeSocket.last.notify('bookmark', {})
  FakeSocket.last.drop()
  mock.timers.tick(500)
  assert.equal(connection.state, 'connecting')
})

test('a silent connection is tested after 35 s and given up after 40 s', () => {
  const {connection, socket} = follow()
  mock.timers.tick(34_999)
  assert.equal(socket.request('ping'), undefined)
  mock.timers.tick(1)
  assert.ok(socket.request('ping'))
  mock.timers.tick(4_999)
  assert.equal(connection.state, 'open')
  mock.timers.tick(1)
  assert.equal(connection.state, 'lost')
  assert.ok(socket.isClosed)
})

test('bookmarks keep a connection open without any request', () => {
  const {connection, socket, following, updates} = follow()
  const before = socket.sent.length
  for (let count = 0; count < 10; count++) {
    mock.timers.tick(30_000)
    socket.notify('bookmark', {epoch: 'E', revision: 2 + count})
  }
  assert.equal(connection.state, 'open')
  assert.equal(socket.sent.length, before)
  assert.equal(following.revision, 11)
  assert.equal(socket.request('subscribe').params.bookmark, 30_000)
  assert.ok(updates.slice(1).every(({reason, inserted, list}) => !reason && !inserted.size && !list))
  assert.ok(updates.length <= 2, 'a heartbeat that says nothing new is no update')
})

test('a reply to the ping keeps the connection', () => {
  const {connection, socket} = follow()
  mock.timers.tick(35_000)
  socket.answer('ping')
  mock.timers.tick(34_999)
  assert.equal(connection.state, 'open')
})

test('a connection that does not open is given up after 40 s', () => {
  const connection = new Connection(address)
  mock.timers.tick(39_999)
  assert.equal(connection.state, 'connecting')
  mock.timers.tick(1)
  assert.equal(connection.state, 'lost')
})

test('a hidden page rests after 30 s, and resumes with the view that it showed', () => {
  const {hide} = page()
  const {connection, following, updates} = follow({view: {search: 'a'}})
  const all = states(connection)
  hide(true)
  mock.timers.tick(29_999)
  hide(false)
  FakeSocket.last.answer('ping')
  hide(true)
  mock.timers.tick(29_999)
  assert.deepEqual(all, [])
  mock.timers.tick(1)
  assert.deepEqual(all, ['resting'])
  mock.timers.tick(3_600_000)
  assert.equal(FakeSocket.all.length, 1)
  following.setView({search: 'b'})
  hide(false)
  FakeSocket.last.open()
  assert.deepEqual(all, ['resting', 'connecting', 'open'])
  const {view, since} = FakeSocket.last.request('subscribe').params
  assert.deepEqual(view, {search: 'b'})
  assert.deepEqual(since, {epoch: 'E', revision: 1, view: {search: 'a'}})
  FakeSocket.last.answer('subscribe', {subscription: 9, list: 'tasks', epoch: 'E', revision: 4, resumed: true})
  FakeSocket.last.notify('changes', {subscription: 9, from: 1, revision: 4, operations: [{op: 'deleteItems', items: ['a']}]})
  assert.equal(updates.at(-1).isView, true)
  assert.deepEqual(following.view, {search: 'b'})
})

test('a page that rests stays so when the network is back', () => {
  const {hide, online} = page()
  const {connection} = follow()
  hide(true)
  mock.timers.tick(30_000)
  online()
  assert.equal(connection.state, 'resting')
  assert.equal(FakeSocket.all.length, 1)
})

test('a list is live while it is up to date', () => {
  const updates = []
  const connection = new Connection(address)
  FakeSocket.last.open()
  const following = connection.follow('tasks', {onUpdate: update => updates.push(update)})
  assert.equal(following.live, undefined)
  FakeSocket.last.answer('subscribe', {subscription: 1, list: 'tasks', epoch: 'E', revision: 1})
  assert.equal(following.live, undefined)
  FakeSocket.last.notify('reset', {epoch: 'E', revision: 1, reason: 'initial', operations: append})
  assert.equal(following.live, true)
  FakeSocket.last.drop()
  assert.equal(following.live, undefined)
  mock.timers.tick(500)
  FakeSocket.last.open()
  const before = updates.length
  FakeSocket.last.answer('subscribe', {subscription: 1, list: 'tasks', epoch: 'E', revision: 1, resumed: true})
  assert.equal(following.live, true)
  assert.equal(updates.length, before + 1, 'an update tells that it is live again')
  FakeSocket.last.notify('listDeleted', {})
  assert.equal(following.live, undefined)
})

test('a page with rest: false never rests', () => {
  const {hide} = page()
  const {connection, socket} = follow({}, new Connection(address, {rest: false}))
  hide(true)
  mock.timers.tick(34_000)
  socket.notify('bookmark', {epoch: 'E', revision: 1})
  mock.timers.tick(34_000)
  assert.equal(connection.state, 'open')
})

test('a page that is hidden when it loads rests as well', () => {
  page()
  globalThis.document.hidden = true
  const {connection} = follow()
  mock.timers.tick(30_000)
  assert.equal(connection.state, 'resting')
})

test('the connection is opened at once when the network is back or the page is shown', () => {
  const {online, hide} = page()
  const connection = new Connection(address)
  FakeSocket.last.drop()
  online()
  assert.equal(FakeSocket.all.length, 2)
  online()
  assert.equal(FakeSocket.all.length, 2, 'it is being opened')
  FakeSocket.last.drop()
  hide(false)
  assert.equal(FakeSocket.all.length, 3)
  FakeSocket.last.open()
  online()
  assert.ok(FakeSocket.last.request('ping'), 'an open connection is tested')
  mock.timers.tick(5_000)
  assert.equal(connection.state, 'lost')
})

test('a closed connection stays closed', () => {
  const {online, hide} = page()
  const {connection, socket} = follow()
  connection.close()
  assert.ok(socket.isClosed)
  online()
  hide(true)
  hide(false)
  mock.timers.tick(3_600_000)
  assert.equal(FakeSocket.all.length, 1)
})

test('other messages are events', () => {
  const {connection, socket} = follow()
  const all = []
  connection.addEventListener('notification', ({detail}) => all.push(detail))
  socket.notify('listsChanged', {subscription: 2, list: undefined, unlisted: ['x']})
  assert.equal(all[0].method, 'listsChanged')
  assert.deepEqual(all[0].params.unlisted, ['x'])
})

test('a group in parts is applied with its last part', () => {
  const {following, updates, socket} = follow()
  socket.notify('changes', {from: 1, revision: 2, more: true, operations: [{op: 'deleteItems', items: ['a']}]})
  assert.deepEqual(following.mirror.snapshot(), whole)
  assert.equal(following.revision, 1)
  socket.notify('changes', {from: 1, revision: 2, operations: [{op: 'moveItem', item: 'c', section: 's', after: null}]})
  assert.deepEqual(following.mirror.snapshot(), {sections: [{id: 's', items: [{id: 'c'}, {id: 'b', content: 1}]}]})
  assert.equal(following.revision, 2)
  assert.equal(updates.length, 2)
  assert.deepEqual({...updates[1]}, {
    reason: undefined, isView: false, list: false,
    inserted: new Set(), deleted: new Set(['a']), moved: new Set(['c']), changed: new Set(), sections: new Set(),
  })
})

test('parts are forgotten with their connection', () => {
  const {following, socket} = follow()
  socket.notify('changes', {from: 1, revision: 2, more: true, operations: [{op: 'deleteItems', items: ['a']}]})
  socket.drop()
  mock.timers.tick(500)
  FakeSocket.last.open()
  assert.equal(FakeSocket.last.request('subscribe').params.since.revision, 1)
  FakeSocket.last.answer('subscribe', {subscription: 1, list: 'tasks', epoch: 'E', revision: 2, resumed: true})
  FakeSocket.last.notify('changes', {from: 1, revision: 2, operations: [{op: 'deleteItems', items: ['b']}]})
  assert.deepEqual(following.mirror.snapshot(), {sections: [{id: 's', items: [{id: 'a'}, {id: 'c'}]}]})
})

const misfits = [
  ['an unknown item', {operations: [{op: 'deleteItems', items: ['a', 'x']}]}],
  ['an unknown section', {operations: [{op: 'insertItems', section: 'x', after: null, items: [{id: 'd'}]}]}],
  ['an unknown operation', {operations: [{op: 'collapseItems', items: ['a']}, {op: 'deleteAllItems'}]}],
  ['a new operation with items', {operations: [{op: 'frobItems', items: ['a']}]}],
  ['a second item with the same id', {operations: [{op: 'insertItems', section: 's', after: 'a', items: [{id: 'd', children: [{id: 'c'}]}]}]}],
  ['a neighbour that is elsewhere', {operations: [{op: 'moveItem', item: 'a', section: 's', parent: 'b', after: 'c'}]}],
  ['an item below itself', {operations: [{op: 'moveItem', item: 'a', section: 's', parent: 'a', after: null}]}],
  ['an item after itself', {operations: [{op: 'moveItem', item: 'a', section: 's', after: 'a'}]}],
  ['changes from another revision', {from: 7, operations: []}],
]

for (const [what, params] of misfits) {
  test(`a group with ${what} changes nothing, and the list is sent again`, () => {
    const {following, updates, socket} = follow()
    const operations = [
      {op: 'reconfigureList', content: {title: 'new'}},
      {op: 'insertSections', after: null, sections: [{id: 't', items: [{id: 'e', children: [{id: 'f'}]}]}]},
      {op: 'moveItem', item: 'c', section: 's', after: null},
      {op: 'deleteItems', items: ['e']},
      {op: 'reloadItems', items: [{id: 'b', kind: 'k', content: null}]},
      {op: 'expandItems', items: ['b']},
      ...params.operations,
    ]
    socket.notify('changes', {from: 1, revision: 2, ...params, operations})
    assert.deepEqual(following.mirror.snapshot(), whole)
    assert.deepEqual([...following.mirror.items.keys()].sort(), ['a', 'b', 'c'])
    assert.equal(updates.length, 1)
    assert.equal(warnings.length, 1)
    assert.equal(socket.request('unsubscribe').params.subscription, 1)
    assert.equal(socket.request('subscribe').params.since, undefined)
    socket.notify('changes', {from: 1, revision: 2, operations: [{op: 'deleteItems', items: ['a']}]})
    assert.deepEqual(following.mirror.snapshot(), whole, 'the old subscription no longer counts')
    socket.answer('subscribe', {subscription: 2, list: 'tasks', epoch: 'E', revision: 3})
    socket.notify('reset', {subscription: 2, epoch: 'E', revision: 3, reason: 'initial', operations: [{op: 'appendSections', sections: [{id: 's', items: [{id: 'b'}, {id: 'z'}]}]}]})
    assert.deepEqual(following.mirror.snapshot(), {sections: [{id: 's', items: [{id: 'b'}, {id: 'z'}]}]})
    assert.deepEqual([...updates[1].inserted], ['z'])
    assert.deepEqual([...updates[1].deleted].sort(), ['a', 'c'])
    assert.deepEqual([...updates[1].changed], ['b'])
  })
}

test('a reset that does not fit keeps the old state, and makes a new connection', () => {
  const {following, connection, socket} = follow()
  socket.notify('reset', {epoch: 'E', revision: 2, reason: 'reload', operations: [...append, ...append]})
  assert.deepEqual(following.mirror.snapshot(), whole)
  assert.equal(connection.state, 'lost')
  mock.timers.tick(500)
  FakeSocket.last.open()
  assert.equal(FakeSocket.last.request('subscribe').params.since, undefined)
})

test('a function that throws does not disturb the list', () => {
  let count = 0
  const {following, socket} = follow({onUpdate: () => { if (count++) throw Error('mine') }})
  assert.throws(() => socket.notify('changes', {from: 1, revision: 2, operations: [{op: 'deleteItems', items: ['a']}]}), {message: 'mine'})
  assert.equal(following.revision, 2)
  assert.throws(() => socket.notify('changes', {from: 2, revision: 3, operations: [{op: 'deleteItems', items: ['b']}]}), {message: 'mine'})
  assert.deepEqual(following.mirror.snapshot(), {sections: [{id: 's', items: [{id: 'c'}]}]})
  assert.equal(warnings.length, 0)
})

test('one setView is on its way, then the newest wish', async () => {
  const {following, updates, socket} = follow()
  const views = () => socket.sent.filter(({method}) => method === 'setView').map(({params}) => params.view.search)
  const promises = ['a', 'b', 'c'].map(search => following.setView({search}))
  assert.deepEqual(views(), ['a'])
  socket.answer('setView')
  assert.deepEqual(views(), ['a', 'c'])
  // This group began before the second reply, so it has the first view.
  socket.notify('changes', {from: 1, revision: 1, more: true, operations: []})
  socket.answer('setView')
  socket.notify('changes', {from: 1, revision: 1, operations: []})
  assert.deepEqual(following.view, {search: 'a'})
  assert.equal(updates.at(-1).isView, true)
  socket.notify('changes', {from: 1, revision: 1, operations: []})
  assert.deepEqual(following.view, {search: 'c'})
  assert.equal(updates.at(-1).isView, true)
  await Promise.all(promises)
  socket.notify('changes', {from: 1, revision: 2, operations: []})
  assert.equal(updates.at(-1).isView, false)
})

test('since has the view last shown, when a setView was not answered yet', () => {
  const {following, socket} = follow({view: {search: 'a'}})
  following.setView({search: 'b'})
  following.setView({search: 'c'})
  socket.answer('setView')
  socket.drop()
  mock.timers.tick(500)
  FakeSocket.last.open()
  const {view, since} = FakeSocket.last.request('subscribe').params
  assert.deepEqual(view, {search: 'c'})
  assert.deepEqual(since.view, {search: 'a'})
})

test('a refused view leaves the old one', async () => {
  const {following, socket} = follow({view: {search: 'a'}})
  const error = {code: -32602, message: 'no', data: {name: 'invalidParams'}}
  const first = following.setView({where: 1})
  socket.refuse('setView', error)
  await assert.rejects(first, {name: 'invalidParams'})
  const second = following.setView({where: 2})
  const third = following.setView({search: 'd'})
  socket.refuse('setView', error)
  assert.deepEqual(socket.request('setView').params.view, {search: 'd'})
  socket.answer('setView')
  socket.notify('changes', {from: 1, revision: 1, operations: []})
  await Promise.all([second, third])
  assert.deepEqual(following.view, {search: 'd'})
})

test('a refused view leaves one that was accepted and is not shown yet', async () => {
  const {following, socket} = follow({view: {search: 'a'}})
  const first = following.setView({search: 'b'})
  socket.answer('setView')
  const second = following.setView({where: 1})
  socket.refuse('setView', {code: -32602, message: 'no', data: {name: 'invalidParams'}})
  await assert.rejects(second, {name: 'invalidParams'})
  socket.notify('changes', {from: 1, revision: 1, operations: []})
  assert.deepEqual(following.view, {search: 'b'})
  assert.equal(socket.sent.filter(({method}) => method === 'setView').length, 2)
  // Both waited for the newest view, which was refused.
  await assert.rejects(first, {name: 'invalidParams'})
})

test('a reply to a subscription that has ended does not count', async () => {
  const {following, socket} = follow({view: {search: 'a'}})
  const promise = following.setView({search: 'b'})
  socket.notify('changes', {from: 7, revision: 8, operations: []})
  socket.refuse('setView', {code: 15, message: 'no', data: {name: 'noSuchSubscription'}})
  socket.answer('subscribe', {subscription: 2, list: 'tasks', epoch: 'E', revision: 3})
  socket.notify('reset', {subscription: 2, epoch: 'E', revision: 3, reason: 'initial', operations: []})
  await promise
  assert.deepEqual(following.view, {search: 'b'})
})

test('the promise of a view is kept when the view is shown', async () => {
  const {following, socket} = follow()
  let isShown = false
  following.setView({search: 'b'}).then(() => { isShown = true })
  // This group began before the reply.
  socket.notify('changes', {from: 1, revision: 2, operations: []})
  socket.answer('setView')
  await null
  assert.equal(isShown, false)
  socket.notify('changes', {from: 2, revision: 2, operations: []})
  await null
  assert.equal(isShown, true)
})

test('a view that is refused after a lost connection gives way to the old one', async () => {
  const {following, socket, ends} = follow({view: {search: 'a'}})
  socket.drop()
  const promise = following.setView({where: 1})
  mock.timers.tick(500)
  FakeSocket.last.open()
  FakeSocket.last.refuse('subscribe', {code: -32602, message: 'no', data: {name: 'invalidParams'}})
  // It may have refused to continue from the state.
  assert.deepEqual(FakeSocket.last.request('subscribe').params.view, {where: 1})
  assert.equal(FakeSocket.last.request('subscribe').params.since, undefined)
  FakeSocket.last.refuse('subscribe', {code: -32602, message: 'no', data: {name: 'invalidParams'}})
  await assert.rejects(promise, {name: 'invalidParams'})
  assert.deepEqual(FakeSocket.last.request('subscribe').params.view, {search: 'a'})
  assert.deepEqual(ends, [])
  FakeSocket.last.answer('subscribe', {subscription: 1, list: 'tasks', epoch: 'E', revision: 1})
  FakeSocket.last.notify('reset', {epoch: 'E', revision: 1, reason: 'initial', operations: append})
  assert.deepEqual(following.view, {search: 'a'})
})

test('a first view that is refused ends the following until another view is set', () => {
  const connection = new Connection(address)
  FakeSocket.last.open()
  const ends = []
  const following = connection.follow('tasks', {view: {where: 1}, onEnd: error => ends.push(error.name)})
  FakeSocket.last.refuse('subscribe', {code: -32602, message: 'no', data: {name: 'invalidParams'}})
  assert.deepEqual(ends, ['invalidParams'])
  assert.equal(following.error.message, 'no')
  following.setView({})
  assert.equal(FakeSocket.last.sent.filter(({method}) => method === 'subscribe').length, 2)
  FakeSocket.last.answer('subscribe', {subscription: 1, list: 'tasks', epoch: 'E', revision: 1})
  FakeSocket.last.notify('reset', {epoch: 'E', revision: 1, reason: 'initial', operations: append})
  assert.equal(following.error, undefined)
  assert.deepEqual(following.mirror.snapshot(), whole)
})

test('a view is copied when it is set', () => {
  const view = {window: {offset: 0, limit: 5}}
  const {following, socket} = follow({view})
  view.window.offset = 7
  socket.drop()
  mock.timers.tick(500)
  FakeSocket.last.open()
  assert.equal(FakeSocket.last.request('subscribe').params.since.view.window.offset, 0)
  assert.equal(following.view.window.offset, 0)
})

test('a deleted list is followed again when it is there', () => {
  const {following, ends, updates, socket} = follow()
  socket.notify('listDeleted', {})
  assert.deepEqual(ends.map(({name}) => name), ['listDeleted'])
  assert.deepEqual(following.mirror.snapshot(), whole, 'the last state stays')
  socket.notify('bookmark', {})
  socket.notify('reset', {epoch: 'F', revision: 0, reason: 'epoch', operations: []})
  assert.equal(updates.at(-1).reason, 'epoch')
  assert.deepEqual([...updates.at(-1).deleted], ['a', 'b', 'c'])
  assert.equal(following.error, undefined)
  socket.drop()
  mock.timers.tick(500)
  FakeSocket.last.open()
  assert.equal(FakeSocket.last.request('subscribe').params.since.epoch, 'F')
})

test('a list that is not there yet is awaited', () => {
  const connection = new Connection(address)
  FakeSocket.last.open()
  const ends = []
  connection.follow('tasks', {onEnd: error => ends.push(error)})
  assert.equal(FakeSocket.last.request('subscribe').params.ifAbsent, 'wait')
  FakeSocket.last.answer('subscribe', {subscription: 1, list: 'tasks'})
  assert.deepEqual(ends, [{name: 'noSuchList', message: 'there is no list "tasks"'}])
})

test('a lost right is awaited, and another end is not', () => {
  const {ends, socket} = follow()
  const count = () => socket.sent.filter(({method}) => method === 'subscribe').length
  socket.notify('subscriptionEnded', {reason: 'permissionDenied', message: 'lost'})
  assert.deepEqual(ends, [{name: 'permissionDenied', message: 'lost'}])
  assert.equal(count(), 2)
  assert.equal(socket.request('subscribe').params.since, undefined)
  socket.answer('subscribe', {subscription: 2, list: 'tasks', epoch: 'E', revision: 1})
  socket.notify('subscriptionEnded', {subscription: 2, reason: 'tooLarge', message: 'long'})
  assert.equal(count(), 2)
  assert.equal(ends.at(-1).name, 'tooLarge')
})

test('stop ends the subscription, even before it began', () => {
  const {following, socket, connection, updates} = follow()
  following.stop()
  assert.equal(socket.request('unsubscribe').params.subscription, 1)
  socket.notify('changes', {from: 1, revision: 2, operations: [{op: 'deleteItems', items: ['a']}]})
  assert.equal(updates.length, 1)
  connection.follow('other').stop()
  socket.answer('subscribe', {subscription: 5, list: 'other', epoch: 'E', revision: 1})
  assert.equal(socket.request('unsubscribe').params.subscription, 5)
  socket.drop()
  mock.timers.tick(500)
  FakeSocket.last.open()
  assert.deepEqual(FakeSocket.last.sent, [])
})

test('windows have offset, total, pins and rows', () => {
  const {following, socket} = follow({view: {window: {offset: 0, limit: 2, pins: ['a', 'z'], allSections: true}}})
  assert.equal(following.total, 3)
  socket.notify('reset', {epoch: 'E', revision: 2, reason: 'reload', offset: 4, total: 9, pins: {a: 1, z: null}, rows: {s: 9}, operations: append})
  assert.equal(following.offset, 4)
  assert.equal(following.total, 9)
  assert.deepEqual([...following.pins], [['a', 1], ['z', null]])
  assert.deepEqual([...following.rows], [['s', 9]])
  socket.notify('changes', {from: 2, revision: 3, offset: 5, total: 10, pins: {z: 7}, rows: {t: 1}, operations: []})
  assert.deepEqual([...following.pins], [['a', 1], ['z', 7]])
  assert.deepEqual([...following.rows], [['s', 9], ['t', 1]])
  socket.notify('reset', {epoch: 'E', revision: 4, reason: 'reload', offset: 0, total: 3, pins: {z: 2}, rows: {s: 3}, operations: append})
  assert.deepEqual([...following.pins], [['z', 2]])
  assert.deepEqual([...following.rows], [['s', 3]])
})

test('a replaced anchor belongs to the view from then on', () => {
  const {following, socket} = follow({view: {window: {anchor: 'b', limit: 2}}})
  socket.notify('changes', {from: 1, revision: 2, offset: 1, total: 2, anchor: 'c', operations: [{op: 'deleteItems', items: ['b']}]})
  assert.equal(following.view.window.anchor, 'c')
  socket.drop()
  mock.timers.tick(500)
  FakeSocket.last.open()
  const {view, since} = FakeSocket.last.request('subscribe').params
  assert.equal(view.window.anchor, 'c')
  assert.equal(since.view.window.anchor, 'c')
})

test('a window with keep is resumed from the offset that it has reached', () => {
  const {following, socket} = follow({view: {window: {offset: 0, limit: 2, keep: ['b']}}})
  socket.notify('changes', {from: 1, revision: 2, offset: 5, total: 8, operations: []})
  assert.equal(following.view.window.offset, 5)
  socket.drop()
  mock.timers.tick(500)
  FakeSocket.last.open()
  const {view, since} = FakeSocket.last.request('subscribe').params
  assert.equal(view.window.offset, 5)
  assert.equal(since.view.window.offset, 5)
})

test('bookmarks say who may do what, and whether the list is live', () => {
  const {following, updates, socket} = follow()
  assert.equal(following.live, true)
  socket.notify('bookmark', {epoch: 'E', revision: 1, live: false, time: 7, may: ['see'], handles: ['perform'], actions: ['add']})
  const {live, time, may, handles, actions} = following
  assert.deepEqual({live, time, may, handles, actions}, {live: false, time: 7, may: ['see'], handles: ['perform'], actions: ['add']})
  assert.equal(updates.length, 2)
  socket.notify('bookmark', {epoch: 'E', revision: 1, may: ['see', 'ask']})
  assert.equal(following.live, false)
  assert.deepEqual(following.may, ['see', 'ask'])
  socket.notify('bookmark', {epoch: 'E', revision: 1, live: true})
  assert.equal(following.live, true)
})

test('each operation does what the protocol says', () => {
  const {following, updates, socket} = follow()
  let revision = 1
  const apply = (...operations) => {
    socket.notify('changes', {from: revision, revision: ++revision, operations})
    return following.mirror.snapshot()
  }
  assert.deepEqual(apply({op: 'reconfigureList', content: false}).content, false)
  assert.equal(updates.at(-1).list, true)
  assert.ok(!('content' in apply({op: 'reconfigureList', content: null})))
  assert.deepEqual(apply({op: 'insertSections', after: 's', sections: [{id: 't', content: 1, items: [{id: 'd', children: [{id: 'e'}]}]}]}).sections[1],
    {id: 't', content: 1, items: [{id: 'd', children: [{id: 'e'}]}]})
  assert.deepEqual([...updates.at(-1).sections], ['t'])
  assert.deepEqual([...updates.at(-1).inserted], ['d', 'e'])
  assert.deepEqual(apply({op: 'moveSection', section: 't', after: null}).sections.map(({id}) => id), ['t', 's'])
  assert.deepEqual(apply({op: 'reloadSections', sections: ['s', {id: 't', content: null}]}).sections[0].content, undefined)
  assert.deepEqual(apply({op: 'moveItem', item: 'a', section: 't', parent: 'd', after: 'e'}).sections[0].items[0].children, [{id: 'e'}, {id: 'a'}])
  assert.equal(following.mirror.items.get('a').parent.id, 'd')
  assert.deepEqual(apply({op: 'reconfigureItems', items: ['b', {id: 'c', content: {x: 1}}]}).sections[1].items, [{id: 'b', content: 1}, {id: 'c', content: {x: 1}}])
  assert.deepEqual([...updates.at(-1).changed], ['b', 'c'])
  assert.deepEqual(apply({op: 'reloadItems', items: [{id: 'b', kind: 'k'}]}).sections[1].items[0], {id: 'b', kind: 'k', content: 1})
  assert.deepEqual(apply({op: 'reloadItems', items: [{id: 'b', kind: null, content: 2}]}).sections[1].items[0], {id: 'b', content: 2})
  assert.deepEqual(apply({op: 'expandItems', items: ['d']}, {op: 'foldItems', items: ['b']}).sections[0].items[0].expanded, true)
  assert.equal(following.mirror.items.get('b').folded, true)
  assert.ok(!('folded' in apply({op: 'collapseItems', items: ['d']}, {op: 'unfoldItems', items: ['b']}).sections[1].items[0]))
  assert.deepEqual(apply({op: 'deleteItems', items: ['d']}).sections, [{id: 't'}, {id: 's', items: [{id: 'b', content: 2}, {id: 'c', content: {x: 1}}]}])
  assert.deepEqual([...updates.at(-1).deleted], ['d', 'e', 'a'])
  assert.deepEqual(apply({op: 'deleteSections', sections: ['s']}), {sections: [{id: 't'}]})
  assert.equal(following.mirror.items.size, 0)
})

test('a move in a list of a million rows does not look at all of them', () => {
  const {following, socket} = follow()
  const items = Array.from({length: 1_000_000}, (_, index) => ({id: `${index}`}))
  socket.notify('reset', {epoch: 'E', revision: 2, reason: 'reload', operations: [{op: 'appendSections', sections: [{id: 's', items}]}]})
  const moves = Array.from({length: 1000}, (_, index) => ({op: 'moveItem', item: `${index * 997}`, section: 's', after: `${999_999 - index}`}))
  const start = performance.now()
  socket.notify('changes', {from: 2, revision: 3, operations: moves})
  const time = performance.now() - start
  assert.equal(following.mirror.sections[0].children.length, 1_000_000)
  assert.ok(time < 200, `1,000 moves took ${time} ms`)
})

test('ids and contents may have the names of JavaScript’s own members', () => {
  const {following, socket} = follow()
  const items = ['__proto__', 'constructor', 'toString'].map(id => ({id, content: JSON.parse('{"__proto__":{"x":1},"constructor":2}')}))
  socket.notify('changes', {from: 1, revision: 2, pins: JSON.parse('{"__proto__":3}'), operations: [{op: 'insertItems', section: 's', after: null, items}]})
  assert.equal(following.mirror.items.get('__proto__').id, '__proto__')
  assert.equal(following.pins.get('__proto__'), 3)
  assert.equal(({}).x, undefined)
})
