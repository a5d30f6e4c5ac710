// The rows of a list as values, their places, and scrolling in a list that is taller than a browser can scroll.

import assert from 'node:assert/strict'
import {test} from 'node:test'
import {boxMax, Place} from '../../Web/place.js'
import {columnCount, edited, fitColumns, follow, frameIndex, itemWidth, layOut, shapeOf, stops} from '../../Web/rows.js'

/** A mirror of sections `{id: [item, …]}`, where an item is an id or `[id, child, …]`. */
function mirror(sections, looks = {}) {
  const items = new Map()
  const node = item => {
    const [id, ...children] = [item].flat()
    const made = {id, children: children.map(node)}
    items.set(id, made)
    return made
  }
  return {items, sections: Object.entries(sections).map(([id, items]) => ({id, content: looks[id], children: items.map(node)}))}
}

const environment = {width: 1000, offset: 0, total: 0, unit: 36, look: section => section.content ?? {}, header: section => section.content.header, height: ({kind, key}) => kind == 'card' ? 50 + key.length : 36}
const frames = (sections, looks, more) => layOut(shapeOf(mirror(sections, looks)), {...environment, ...more})
const keys = list => list.map(frame => frame.key)

test('the rows of an outline are in order, with their levels', () => {
  const shape = shapeOf(mirror({s: [['a', ['b', 'c']], 'd']}))
  assert.deepEqual(shape.rows.map(row => [row.id, row.level]), [['a', 0], ['b', 1], ['c', 2], ['d', 0]])
  assert.deepEqual(shapeOf(mirror({s: [['a', ['b', 'c']], 'd']}), ({id}) => id == 'a').rows.map(row => row.id), ['a', 'd'])
})

test('the next sibling takes the place of a deleted row, else the previous one, the parent, the header', () => {
  const before = shapeOf(mirror({s: ['a', ['b', 'x', 'y'], 'c'], t: ['z']}))
  const next = (key, sections) => follow(key, before, shapeOf(mirror(sections)))
  assert.equal(next('ia', {s: [['b', 'x', 'y'], 'c']}), 'ib')
  assert.equal(next('ic', {s: ['a', ['b', 'x', 'y']]}), 'ib')
  assert.equal(next('iy', {s: ['a', ['b', 'x'], 'c']}), 'ix')
  assert.equal(next('iy', {s: ['a', 'b', 'c']}), 'ib')
  assert.equal(next('iz', {s: ['a'], t: []}), 'ht')
  assert.equal(next('ia', {s: ['c', 'a']}), 'ia')
})

test('the cursor does not follow a row that its own user moved', () => {
  const before = shapeOf(mirror({s: ['a', 'b', 'c']}))
  assert.equal(follow('ia', before, shapeOf(mirror({s: ['b', 'c', 'a']})), id => id == 'a'), 'ib')
})

test('the cursor of a row that was closed goes to its parent', () => {
  const list = mirror({s: [['a', ['b', 'c']]]})
  assert.equal(follow('ic', shapeOf(list), shapeOf(list, ({id}) => id == 'a')), 'ia')
})

test('no frame overlaps the next one, in any layout', () => {
  const sections = {a: ['1', '2'], b: ['3', '4', '5', '6', ['7', '8']], c: ['9', '10'], d: ['11']}
  const looks = {a: {header: {text: 'A'}, footer: {text: 'f'}}, b: {layout: {type: 'grid', columns: 3}, appearance: 'insetGrouped'},
    c: {layout: {type: 'carousel'}}, d: {layout: {type: 'table'}, appearance: 'grouped', more: true}}
  const {frames: all, height} = frames(sections, looks)
  for (const [index, frame] of all.entries()) {
    const next = all[index + 1]
    if (next && next.line != frame.line) assert.ok(next.y >= frame.y + frame.height, `${next.key} after ${frame.key}`)
    assert.ok(frame.y + frame.height <= height)
  }
  assert.deepEqual(keys(all), ['ha', 'i1', 'i2', 'fa', 'i3', 'i4', 'i5', 'i6', 'i7', 'i8', 'ci9', 'td', 'i11', 'md'])
  const cards = all.filter(frame => frame.kind == 'card')
  assert.deepEqual(cards.map(card => card.line - cards[0].line), [0, 0, 0, 1, 1, 2])
  assert.deepEqual(stops(all).map(stop => stop.key), ['i1', 'i2', 'i3', 'i4', 'i5', 'i6', 'i7', 'i8', 'i9', 'i10', 'i11', 'md'])
})

test('a section without rows is shown if it has a header or takes new rows, and an empty list says so', () => {
  const looks = {a: {header: {text: 'A'}}, c: {canInsert: true}, d: {header: {text: 'D'}, hidesWhenEmpty: true}}
  const {frames: all} = frames({a: [], b: ['1'], c: [], d: [], e: []}, looks, {total: 1})
  assert.deepEqual(keys(all), ['ha', 'i1', 'hc'])
  assert.deepEqual(stops(all).map(stop => stop.key), ['i1', 'hc'])
  assert.deepEqual(keys(frames({a: [], b: ['1']}, looks, {total: 1, isFiltered: true}).frames), ['i1'])
  assert.deepEqual(keys(frames({a: []}, looks).frames), ['ha'])
  assert.deepEqual(keys(frames({c: []}, looks).frames), ['e'])
  assert.deepEqual(keys(frames({a: []}).frames), ['e'])
})

test('rows outside of the window have room, and do not end their section', () => {
  const {frames: all} = frames({a: ['1', '2']}, {a: {footer: {text: 'f'}, more: true}}, {offset: 10, total: 100})
  assert.deepEqual(keys(all), ['before', 'i1', 'i2', 'after'])
  assert.deepEqual([all[0].height, all[3].height], [360, 88 * 36])
})

test('a row has one place, whichever rows are loaded', () => {
  const all = [...Array(20).keys()].map(String)
  for (const content of [{}, {header: {text: 'H'}}, {appearance: 'insetGrouped'}]) {
    const y = (rows, offset) => frames({a: rows}, {a: content}, {offset, total: 20}).frames.find(frame => frame.key == 'i12').y
    assert.equal(y(all.slice(10), 10), y(all, 0))
  }
})

test('the first frame that ends below a place is found', () => {
  const {frames: all} = frames({a: ['1', '2', '3']})
  assert.deepEqual([0, 35, 36, 107, 108].map(y => frameIndex(all, y)), [0, 0, 1, 2, 3])
})

test('a grid has as many columns as fit', () => {
  assert.deepEqual([200, 410, 1000].map(width => columnCount({}, width)), [1, 2, 4])
  assert.equal(columnCount({columns: 3}, 1000), 3)
  assert.equal(columnCount({columns: 30}, 200), 2)
})

test('a part of a carousel’s next item is visible', () => {
  assert.equal(itemWidth({}, 1000), 224)
  assert.ok(itemWidth({itemWidth: 500}, 300) < 300)
})

test('the widest columns of a table shrink first, and the last ones have no room', () => {
  const columns = [200, 400, 80, 80].map(natural => ({natural, align: 'right'}))
  const widths = (area, passed = 0) => fitColumns(columns, area, passed).map(column => column.px)
  assert.deepEqual(widths(1000), [200, 400, 80, 80])
  const narrow = widths(600)
  assert.ok(narrow[1] < 400 && narrow[1] >= narrow[0] - 8 && narrow[2] == 80)
  assert.equal(widths(200)[3], 0)
  assert.ok(widths(200)[0] > 0)
  assert.equal(widths(600, 1)[1], 0)
  assert.deepEqual(fitColumns(columns.slice(0, 2), 150, 0).map(({px}) => px > 0), [true, true], 'a column beside the first one')
})

test('an edit keeps what others change, and a conflict is an error', () => {
  const patch = (before, after, now = before) => edited('a', before, after, now, 7).operations[0]
  assert.deepEqual(patch({x: 1, y: {a: 1, b: 2}, z: 3}, {x: 2, y: {a: 1}}), {op: 'patchItems', items: [{id: 'a', content: {x: 2, y: {b: null}, z: null}}]})
  assert.deepEqual(patch({x: 1}, {x: 2}, {x: 1, y: 5}).items[0].content, {x: 2})
  assert.throws(() => patch({x: 1}, {x: 2}, {x: 3}), /Someone else/)
  // A patch cannot set null.
  assert.deepEqual(edited('a', {x: 1}, {x: null}, {x: 1}, 7), {ifRevision: 7, operations: [{op: 'reconfigureItems', items: [{id: 'a', content: {x: null}}]}]})
  assert.throws(() => patch({x: 1}, {x: null}, {x: 1, y: 2}), /Someone else/)
  assert.throws(() => patch('a', 'b', 'c'), /Someone else/)
})

test('a place stands for one offset, exactly at both ends', () => {
  const place = Object.assign(new Place(), {height: 36_000_000, screen: 800})
  assert.equal(place.box, boxMax)
  let last = -1
  for (let offset = 0; offset <= boxMax - 800; offset += 9_973) {
    const top = place.at(offset)
    assert.ok(top > last)
    last = top
    place.go(top)
    assert.ok(Math.abs(place.settled() - offset) < 0.01)
  }
  assert.equal(place.at(500), 500)
  assert.equal(place.at(boxMax - 800), 36_000_000 - 800)
})

test('small steps in a long list are exact, and a jump is in proportion', () => {
  const place = Object.assign(new Place(), {height: 36_000_000, screen: 800})
  place.scrolled(4_000_000)
  const {top} = place
  assert.ok(Math.abs(top - 18_000_000) < 1000)
  place.scrolled(4_000_123)
  assert.equal(place.top, top + 123)
  place.settle()
  assert.equal(place.top, top + 123)
})
