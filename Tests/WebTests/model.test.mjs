// Random changes, views, windows and lost connections against a real daemon. At each rest, the local copies are compared
// with what the daemon's `snapshot` returns for the same view. SEED and ROUNDS change the run.

import assert from 'node:assert/strict'
import {after, before, test} from 'node:test'
import {Connection} from '../../Web/diffable.js'
import {Client, Daemon, LineSocket, until} from './support.mjs'

const seed = Number(process.env.SEED ?? Date.now() % 1e6)
const rounds = Number(process.env.ROUNDS ?? 40)
let state = seed

const random = () => {
  state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
  return state / 2 ** 32
}
const below = count => Math.floor(random() * count)
const pick = array => array[below(array.length)]
const chance = share => random() < share

let daemon
let client

before(async () => {
  globalThis.WebSocket = LineSocket
  daemon = await Daemon.start()
  client = new Client(daemon.socket)
})

after(async () => {
  client.close()
  await daemon.stop()
})

let count = 0
const item = depth => ({
  id: `i${count++}`,
  ...chance(0.3) && {kind: pick(['k', 'l'])},
  ...chance(0.8) && {content: {text: pick(['milk', 'bread', 'soap', 'tea']), due: below(9)}},
  ...chance(0.3) && {expanded: true},
  ...depth && chance(0.4) && {children: Array.from({length: below(4)}, () => item(depth - 1))},
})

/** The ids of the daemon's items and sections, which the next operations need. */
const ids = snapshot => {
  const items = []
  const add = item => {
    items.push(item.id)
    item.children?.forEach(add)
  }
  for (const section of snapshot.sections) section.items?.forEach(add)
  return {items, sections: snapshot.sections.map(({id}) => id)}
}

const place = ({items, sections}) => {
  if (items.length && chance(0.6)) return chance(0.5) ? {after: pick(items)} : chance(0.5) ? {before: pick(items)} : {parent: pick(items)}
  return {section: pick(sections), ...chance(0.5) && {after: null}}
}

const operation = known => {
  const {items, sections} = known
  const some = () => [...new Set(Array.from({length: 1 + below(3)}, () => pick(items)))]
  const kind = below(items.length ? 12 : 3)
  if (!sections.length || kind === 0) {
    const section = {id: `s${count++}`, items: Array.from({length: below(6)}, () => item(2))}
    if (sections.length > 4) return {op: 'deleteSections', sections: [pick(sections)]}
    return sections.length ? {op: 'insertSections', after: chance(0.3) ? null : pick(sections), sections: [section]} : {op: 'appendSections', sections: [section]}
  }
  if (kind === 1 && sections.length > 1) return {op: 'moveSection', section: sections[0], after: sections.at(-1)}
  if (kind === 1) return {op: 'reloadSections', sections: [{id: pick(sections), content: {header: `${below(9)}`}}]}
  if (kind === 2) return chance(0.2) ? {op: 'reconfigureList', content: chance(0.2) ? null : {title: `${below(9)}`}} : {op: 'appendItems', section: pick(sections), items: Array.from({length: 1 + below(5)}, () => item(2))}
  if (kind === 3) return {op: 'deleteItems', items: some()}
  if (kind < 7) return {op: 'moveItem', item: pick(items), ...place(known)}
  if (kind === 7) return {op: 'patchItems', items: some().map(id => ({id, content: {due: below(9)}}))}
  if (kind === 8) return {op: 'reloadItems', items: some().map(id => chance(0.3) ? id : {id, kind: chance(0.3) ? null : pick(['k', 'l']), content: {text: pick(['milk', 'tea'])}})}
  if (kind === 9) return {op: pick(['expandItems', 'collapseItems']), items: some()}
  if (kind === 10) return {op: 'reconfigureItems', items: some()}
  return {op: 'appendItems', ...chance(0.5) ? {section: pick(sections)} : {parent: pick(items)}, items: [item(2)]}
}

const few = ids => Array.from({length: 1 + below(4)}, () => pick(ids))
const window = ({items}, limit = 1 + below(12)) => ({
  limit,
  ...items.length && chance(0.3)
    ? {anchor: pick(items), ...chance(0.5) && {before: below(Math.min(limit, 4))}}
    : {offset: below(20), ...items.length && chance(0.5) && {keep: [...new Set(few(items))]}},
  ...items.length && chance(0.5) && {pins: [...new Set([...few(items), 'nowhere'])]},
  ...chance(0.3) && {allSections: true},
})

const view = known => ({
  ...chance(0.2) && {search: pick(['milk', 'tea', 'bread'])},
  ...chance(0.2) && {where: {path: '/due', atMost: below(9)}},
  ...chance(0.2) && {sort: [{path: '/due', descending: chance(0.5)}, 'id']},
  ...chance(0.2) && known.sections.length && {sections: [pick(known.sections)]},
  ...chance(0.4) && pick([{expansion: 'shared'}, {expansion: 'own', toggled: known.items.slice(0, 3)}, {expansion: 'own', expanded: known.items.slice(0, 3)}]),
  ...chance(0.3) && {folded: true},
  ...chance(0.6) && {window: window(known)},
})

/** Checks that each update names exactly the items that changed. */
const watch = following => {
  let old = new Map()
  let order = []
  return update => {
    const now = new Map()
    const path = []
    const add = (item, parent) => {
      const {children, ...own} = item.snapshot()
      now.set(item.id, JSON.stringify(own))
      path.push([item.id, parent])
      item.children.forEach(child => add(child, item.id))
    }
    for (const section of following.mirror.sections) section.items.forEach(item => add(item, section.id))
    assert.deepEqual([...now.keys()].sort(), [...following.mirror.items.keys()].sort())
    assert.deepEqual([...update.inserted].sort(), [...now.keys()].filter(id => !old.has(id)).sort(), 'inserted')
    assert.deepEqual([...update.deleted].sort(), [...old.keys()].filter(id => !now.has(id)).sort(), 'deleted')
    for (const [id, json] of now) if (old.has(id) && old.get(id) !== json) assert.ok(update.changed.has(id), `${id} changed`)
    // Without the items that moved, came or went, the order is the old one.
    if (!update.reason && !update.sections.size) {
      const stays = ([id]) => old.has(id) && now.has(id) && !update.moved.has(id)
      const under = id => update.moved.has(id) || !old.has(id)
      const orders = paths => paths.filter(stays).map(([id]) => id)
      const isSteady = ([, parent]) => !under(parent)
      const moved = new Set(path.filter(entry => !isSteady(entry)).map(([id]) => id))
      if (!moved.size) assert.deepEqual(orders(path), orders(order), 'order')
    }
    old = now
    order = path
  }
}

/** What the daemon shows for this view. A window is taken from where it is, because its place can depend on the past. */
const expected = async ({list, view, offset}) => {
  const {window} = view
  const asked = window ? {...view, window: {...window, offset, anchor: undefined, keep: undefined, before: undefined}} : view
  return client.request('snapshot', {list, view: asked})
}

test(`local copies equal the daemon's state (SEED=${seed} ROUNDS=${rounds})`, {timeout: 60_000 + rounds * 5_000}, async t => {
  const connection = new Connection(`ws://unix${daemon.socket}`)
  // An open connection would keep Node.js running after a failure.
  t.after(() => connection.close())
  const lists = ['one', 'two']
  for (const list of lists) await client.request('createList', {list, durability: 'durable'})
  const known = async list => ids((await client.request('snapshot', {list})).snapshot)
  const followings = []
  let updates = 0
  let losses = 0
  let checks = 0
  let viewsShown = 0
  const failures = []
  mockWarnings(t, failures)

  const follow = async () => {
    const list = pick(lists)
    const onUpdate = update => {
      updates++
      try { check(update) } catch (error) { failures.push(error) }
    }
    const following = connection.follow(list, {view: view(await known(list)), minInterval: pick([1, 5, undefined]), onUpdate})
    const check = watch(following)
    followings.push(following)
  }
  for (let index = 0; index < 6; index++) await follow()

  for (let round = 0; round < rounds; round++) {
    for (let step = 0; step < 25; step++) {
      const list = pick(lists)
      const state = await known(list)
      if (chance(0.7)) {
        const operations = [operation(state)]
        // Some operations make no sense, such as a move below the item itself. The daemon refuses them.
        await client.request('transact', {list, operations}).catch(error => assert.ok(error.code > 0, error.message))
      } else if (chance(0.15)) {
        await client.request('apply', {list, usingReloadData: chance(0.5), snapshot: {sections: [{id: 's', items: Array.from({length: below(30)}, () => item(2))}]}})
      } else {
        const following = pick(followings)
        // The promise is kept even if another view replaces this one before it was sent.
        following.setView(view(await known(following.list))).then(() => viewsShown++, error => failures.push(error))
      }
      if (chance(0.04)) {
        LineSocket.cut()
        losses++
      }
      if (chance(0.02)) {
        followings.splice(below(followings.length), 1)[0].stop()
        await follow()
      }
    }
    if (round % 10 === 9) {
      client.close()
      await daemon.kill(pick(['SIGKILL', 'SIGTERM']))
      await daemon.start()
      client = new Client(daemon.socket)
    }
    if (round % 10 === 4) {
      const list = pick(lists)
      await client.request('deleteList', {list})
      await client.request('createList', {list})
    }
    for (const following of followings) {
      let last
      const isEqual = async () => {
        const {snapshot, offset, total, pins = {}, rows = {}} = await expected(following)
        const {window} = following.view
        const only = (map, names) => Object.fromEntries(Object.keys(names).map(name => [name, map.get(name)]))
        const mine = {snapshot: following.mirror.snapshot(), ...window && {offset: following.offset, total: following.total, pins: only(following.pins, pins), rows: only(following.rows, rows)}}
        last = [mine, {snapshot, ...window && {offset, total, pins, rows}}]
        try { assert.deepEqual(...last) } catch { return false }
        // No window is empty while there are rows.
        return !window || following.mirror.items.size > 0 || total === 0
      }
      await until(isEqual, 'equality').catch(error => {
        console.error(JSON.stringify({round, list: following.list, view: following.view, offset: following.offset, state: connection.state}))
        assert.deepEqual(...last)
        throw error
      })
      checks++
    }
    assert.deepEqual(failures, [])
  }
  t.diagnostic(`${updates} updates, ${viewsShown} views, ${losses} lost connections, ${checks} comparisons`)
  assert.ok(updates > rounds && viewsShown > rounds / 2 && checks === rounds * followings.length)
})

const mockWarnings = (t, failures) => t.mock.method(console, 'warn', (...parts) => failures.push(parts))
