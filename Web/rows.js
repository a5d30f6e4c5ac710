// Rows, as values: the visible rows of a list in order, their places on the screen, and the row that takes the place of another
// one. Nothing here touches the document.

import {isObject} from './appearance.js'

/** Pixels of a terminal's column: `minWidth`, `itemWidth` and `width` are in columns. */
const cell = 8
export const gap = 12
const cardWidthMin = 8 * cell

/**
 * The visible rows of a mirror. `isClosed` says which items are closed here although their children are known.
 * A row is `{key, id, item, parent, section, level, index, children, isParent, isOpen}`.
 */
export function shapeOf(mirror, isClosed = () => false) {
  const shape = {sections: [], rows: [], byKey: new Map(), mirror}
  for (const source of mirror.sections) {
    const section = {id: source.id, content: source.content, rows: [], start: shape.rows.length}
    const add = (items, parent, level) => items.map((item, index) => {
      const {id, children: below} = item
      const isOpen = below.length > 0 && !isClosed(item)
      const row = {key: 'i' + id, id, item, parent, section, level, index, isOpen, isParent: below.length > 0 || !!item.folded,
        place: shape.rows.length}
      shape.rows.push(row)
      shape.byKey.set(row.key, row)
      row.children = isOpen ? add(below, row, level + 1) : []
      return row
    })
    section.rows = add(source.children, undefined, 0)
    shape.sections.push(section)
  }
  return shape
}

/**
 * The parameters of `transact` that make of an item's content what a user made of it. Others may have changed it in the meantime:
 * their changes of other members stay, and with one of the same member, or if the content is no object, this throws.
 */
export function edited(id, before, after, now, ifRevision) {
  const text = JSON.stringify
  const changed = (a, b) => Object.keys({...a, ...b}).filter(name => text(a[name]) != text(b[name]))
  const patch = (a, b) => Object.fromEntries(changed(a, b).map(name => [name, isObject(a[name]) && isObject(b[name]) ? patch(a[name], b[name]) : b[name] ?? null]))
  let hasNull
  text(after, (_, value) => { hasNull ||= value === null; return value; })
  // A patch removes what is null.
  if (!hasNull && [before, after, now].every(isObject)) {
    const both = changed(before, after).find(name => text(before[name]) != text(now[name]))
    if (both === undefined) return {operations: [{op: 'patchItems', items: [{id, content: patch(before, after)}]}]}
  } else if (text(before) == text(now)) {
    return {ifRevision, operations: [{op: 'reconfigureItems', items: [{id, content: after}]}]}
  }
  throw Error('Someone else has changed the same in the meantime: nothing was done')
}

export const siblings = row => row.parent?.children ?? row.section.rows

/** The key of the row that takes the place of a deleted one: the next sibling, the previous one, the parent, the header. */
export function successor(row, shape, isSkipped = () => false) {
  const all = siblings(row)
  const remains = other => shape.byKey.has(other.key) && !isSkipped(other.id)
  const other = all.slice(row.index + 1).find(remains) ?? all.slice(0, row.index).findLast(remains)
  if (other) return other.key
  if (row.parent) return shape.byKey.has(row.parent.key) ? row.parent.key : successor(row.parent, shape, isSkipped)
  return 'h' + row.section.id
}

/** Where a key of the old shape is in the new one; undefined if nothing takes its place. */
export function follow(key, before, after, isOwn = () => false) {
  const row = before.byKey.get(key)
  if (!row) return key
  if (isOwn(row.id)) return successor(row, after, isOwn)
  for (let now = row; now; now = now.parent) {
    if (after.byKey.has(now.key)) return now.key
    // A row that its ancestor hides is still there.
    if (!after.mirror.items.has(now.id)) return successor(now, after)
  }
  return successor(row, after)
}

/** Margins of an appearance, in pixels: around a section and inside of it. */
function geometry(appearance, width) {
  const narrow = width < 480
  const margin = {grouped: 0, insetGrouped: narrow ? 12 : 20, sidebar: 8}[appearance] ?? 0
  const full = appearance == 'insetGrouped' ? Math.min(width - 2 * margin, 840) : width - 2 * margin
  const pad = appearance == 'sidebar' ? 8 : appearance == 'insetGrouped' && !narrow ? 16 : narrow ? 12 : 20
  return {x: Math.max((width - full) / 2, 0), width: Math.max(full, 1), pad}
}

export function columnCount({columns, minWidth}, width) {
  if (columns) return Math.min(columns, Math.max(Math.floor((width + gap) / (cardWidthMin + gap)), 1))
  const wanted = Math.min(Math.max((minWidth ?? 24) * cell, cardWidthMin), width)
  return Math.max(Math.floor((width + gap) / (wanted + gap)), 1)
}

/** The width of a carousel's items. A part of the next one is always visible. */
export const itemWidth = ({itemWidth = 28}, width) => Math.max(Math.min(itemWidth * cell, width - 5 * cell), Math.min(cardWidthMin, width))

/**
 * The frames of a shape, from top to bottom: `{key, kind, row?, section?, line, x, y, width, height, …}`.
 *
 * `env` has the screen's `width`, `look(section)`, `header(section)` and `height(frame)`, `isFiltered`, and `empty`, the look of an empty list; of a window also `offset` and `total`, and `unit`, the height of a row that is not loaded.
 */
export function layOut(shape, env) {
  const frames = []
  const bands = []
  let y = 0, line = 0, order = 1
  const add = (kind, key, more) => {
    const frame = {kind, key, line: line++, order, y, ...more}
    order += frame.count ?? frame.rows?.length ?? 1
    frame.height ??= env.height(frame)
    frames.push(frame)
    y += frame.height
    return frame
  }
  const missing = (key, count) => count > 0 && add('missing', key, {x: 0, width: env.width, height: count * env.unit, count})
  const rest = env.total - env.offset - shape.rows.length
  missing('before', env.offset)
  // A section without rows that are loaded may have others.
  const isEmpty = section => {
    const {header, canInsert, hidesWhenEmpty} = env.look(section)
    return !section.rows.length && !env.isFiltered && !(rest > 0) && !env.offset && !hidesWhenEmpty && (header || canInsert)
  }
  let sections = shape.sections.filter(section => section.rows.length || (env.look(section).more && env.total > 0) || isEmpty(section))
  // Without rows and headers, the list shows that it is empty.
  if (!shape.rows.length && !sections.some(section => env.look(section).header)) sections = []
  for (const section of sections) {
    const look = env.look(section)
    const layout = look.layout ?? {type: 'list'}
    const {appearance = 'plain', footer, header = isEmpty(section) ? {text: 'Nothing here; + adds a row'} : undefined} = look
    const {x, width, pad} = geometry(appearance, env.width)
    const isCut = section == sections.at(-1) && rest > 0
    const isOfRows = layout.type == 'list' || layout.type == 'table'
    const place = {x, width, section, pad}
    const inner = width - 2 * pad
    if (bands.length) y += appearance == 'plain' ? (header ? 0 : 16) : 24
    else if (appearance != 'plain' && !header) y += 12
    const band = {section, place, pins: look.pinHeader !== false, start: y}
    if (header) band.header = add('header', 'h' + section.id, {...place, look: look.header ? env.header(section) : header, takesNew: isEmpty(section) && look.canInsert})
    if (layout.type == 'table') band.titles = add('titles', 't' + section.id, place)
    else if (!isOfRows) y += 8
    const all = []
    const emit = (rows, level) => {
      if (!rows.length) return
      const indent = Math.min(level * 24, inner / 2)
      if (layout.type == 'carousel') {
        const lines = layout.lines ?? 3
        add('strip', 'c' + rows[0].key, {...place, x: x + indent, width: width - indent, rows, lines, card: itemWidth(layout, inner - indent), snap: layout.snap})
        y += gap
        return
      }
      const count = layout.type == 'grid' ? columnCount(layout, inner - indent) : 1
      for (let start = 0; start < rows.length; start += count) {
        const group = rows.slice(start, start + count)
        if (isOfRows) {
          all.push(add('row', group[0].key, {...place, row: group[0], table: layout.type == 'table', lines: layout.lines}))
        } else {
          const size = (inner - indent - gap * (count - 1)) / count
          const top = y
          const cards = group.map((row, index) => {
            [y, line] = [top, line - (index > 0)]
            return add('card', row.key, {...place, row, x: x + pad + indent + index * (size + gap), width: size, lines: layout.lines})
          })
          const height = Math.max(...cards.map(card => card.height))
          for (const card of cards) card.height = height
          y = top + height + gap
        }
        for (const row of group) emit(row.children, level + 1)
      }
    }
    emit(section.rows, 0)
    if (look.more && !isCut) all.push(add('more', 'm' + section.id, place))
    if (all.length) [all[0].isFirst, all.at(-1).isLast] = [true, !isCut]
    band.end = y
    bands.push(band)
    if (footer && !isCut) add('footer', 'f' + section.id, {...place, look: footer})
  }
  missing('after', rest)
  if (!frames.length) add('empty', 'e', {x: 0, width: env.width, look: env.empty})
  return {frames, bands, count: order - 1, height: y + 16}
}

/** The index of the first frame that ends below a place. */
export function frameIndex(frames, y) {
  let low = 0, high = frames.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (frames[middle].y + frames[middle].height <= y) low = middle + 1; else high = middle
  }
  return low
}

/** The places that the cursor can have: `{key, line, x, frame, row?}` in order. */
export function stops(frames) {
  const result = []
  for (const frame of frames) {
    const {kind, key, line, x, row} = frame
    if (kind == 'strip') frame.rows.forEach((row, index) => result.push({key: row.key, line, x: x + index * (frame.card + gap), frame, row, index}))
    else if (row || kind == 'more' || ((kind == 'header' || kind == 'empty') && (frame.look.actions?.length || frame.takesNew))) result.push({key, line, x, frame, row})
  }
  return result
}

/**
 * The columns of a table with their widths `px` in an area. `passed` columns after the first are scrolled past, and a width of 0
 * means that a column has no room. The widest columns shrink first; when all are narrow, the last ones have no room.
 */
export function fitColumns(columns, area, passed) {
  const all = columns.map((column, index) => ({...column, px: !index || index > passed ? column.natural : 0}))
  const shown = all.filter(column => column.px)
  const free = () => area - shown.reduce((sum, column) => sum + column.px + 16, -16)
  while (free() < 0) {
    // The first column has the signs of a row, too.
    const wide = shown.filter(column => !column.width && column.px > (column == all[0] ? 96 : 64)).sort((a, b) => b.px - a.px)
    if (wide.length) wide[0].px -= 8
    else if (shown.length > 2) shown.pop().px = 0
    else break
  }
  const growing = shown.filter(column => !column.width && column.align == 'left')
  const room = Math.max(free(), 0) / growing.length
  for (const column of growing) column.px += Math.min(room, column.px / 2 + 32)
  return all
}
