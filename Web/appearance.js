// Resolves the appearance of a list, its sections and its items from their contents (docs/appearance.md), by the rules of
// Sources/DiffableView/Looks. Nothing fails: an unknown member is ignored, and a member of a wrong type counts as missing, so
// the next source is used. A missing member is undefined.
//
// The cases of Tests/DiffableViewTests/Looks/looks.json apply to both viewers.

/** Code units of the longest text that is drawn. */
const textLengthMax = 65536
const segmenter = new Intl.Segmenter()

/** Removes characters that could make a text look like another one: control and bidirectional ones. White space is a space. */
export function clean(text) {
  if (text.length > textLengthMax) text = text.slice(0, textLengthMax - 1) + '…'
  return text.replace(/[\t-\r\x85\u2028\u2029]/g, ' ').replace(/[\p{Cc}\p{Cs}\p{Bidi_C}]/gu, '')
}

export const isObject = value => typeof value == 'object' && value && !Array.isArray(value)
const own = (value, name) => Object.hasOwn(value ?? {}, name) ? value[name] : undefined

/** A part of a JSON pointer as the name of a member. */
export const unescaped = part => part.replaceAll('~1', '/').replaceAll('~0', '~')

/** The value at a JSON pointer; undefined if there is none. */
export const valueAt = (value, pointer) => pointer && pointer[0] != '/' ? undefined : pointer.split('/').slice(1).reduce((value, part) => {
  const name = unescaped(part)
  return isObject(value) || Array.isArray(value) && /^(0|[1-9]\d*)$/.test(name) ? own(value, name) : undefined
}, value)

// Readers return undefined for a wrong type.
const is = type => value => typeof value == type ? value : undefined
const isText = is('string'), boolean = is('boolean'), number = is('number')
const string = value => isText(value) === undefined ? written(value) : clean(value)
const shown = value => string(value)?.trim() ? string(value) : undefined
const count = value => Number.isInteger(value) && value >= 0 ? value : undefined
const size = value => count(value) || undefined
const oneOf = names => value => names.split(' ').includes(value) ? value : undefined
const all = read => value => Array.isArray(value) ? value.map(read).filter(Boolean) : undefined
const any = value => value

function character(value) {
  const text = shown(value)
  return text?.trim() == text && segmenter.segment(text).containing()?.segment == text ? text : undefined
}

// Formats

/** When a text that was just read will be another one. */
let changesAt
const two = number => String(number).padStart(2, 0)
const units = [[31536e6, 'y'], [864e5, 'd'], [36e5, 'h'], [6e4, 'min'], [1e3, 's'], [1, 'ms']]

/** NaN for anything but a number; programs that read tables may publish numbers as text. */
const numberOf = value => number(value) ?? (/^-?\d+(\.\d+)?$/.test(isText(value)) ? +value : NaN)

const numbers = {
  bytes(number) {
    let value = Math.round(number), unit = -1
    while (unit < 4 && (unit < 0 ? value : Math.round(value)) >= 1e3) [value, unit] = [value / 1e3, unit + 1]
    return unit < 0 ? value + ' B' : (Math.round(value * 10) < 100 ? (Math.round(value * 10) / 10).toFixed(1) : Math.round(value)) + ' ' + 'kMGTP'[unit] + 'B'
  },
  number: value => (Math.round(value * 100) / 100).toLocaleString('en'),
  percent: value => Math.round(value * 100) + '%',
  duration(seconds) {
    const value = Math.round(seconds * 1e3)
    const first = units.findIndex(([unit], index) => index && value >= unit)
    if (first < 0) return '0 s'
    const [unit, name] = units[first], [next, nextName] = units[first + 1] ?? []
    const rest = first < 4 && Math.floor(value % unit / next)
    return `${Math.floor(value / unit)} ${name}${rest ? ` ${rest} ${nextName}` : ''}`
  },
}

/** A time in milliseconds of an ISO date, or of seconds or milliseconds since 1970. */
function timeOf(value) {
  const number = numberOf(value)
  if (!isNaN(number)) return Math.floor(Math.abs(number) < 1e11 ? number * 1e3 : number)
  const [, date, time = '00:00', seconds = ':00', zone = ''] = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d(?:[.,]\d+)?)? ?(Z|[+-]\d\d(?::?\d\d)?)?)?$/.exec(isText(value)) ?? []
  return +new Date(date + 'T' + time + seconds.replace(',', '.') + zone.replace(/^(...):?(..)?$/, (_, hours, minutes = '00') => hours + ':' + minutes))
}

const dateOf = time => `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`

/** Texts of times, and when they will be others. */
const times = {
  date: time => [dateOf(new Date(time))],
  time(time, now) {
    const at = new Date(time), today = new Date(now)
    const text = two(at.getHours()) + ':' + two(at.getMinutes())
    return dateOf(at) == dateOf(today) ? [text, today.setHours(24, 0, 0, 0)] : [dateOf(at) + ' ' + text]
  },
  age(time, now) {
    const distance = Math.abs(now - time)
    const [unit, name] = units.slice(0, 5).find(([unit]) => distance >= unit) ?? units[4]
    const count = Math.floor(distance / unit)
    return now < time && count ? [`in ${count} ${name}`, time - count * unit + 1] : [`${count} ${name}`, time + (now < time ? 1 : count + 1) * unit]
  },
}

/** `[text, time at which it will be another one]`; undefined for a value of a wrong type. */
export function format(value, name) {
  if (Object.hasOwn(times, name)) {
    const time = timeOf(value)
    return Math.abs(time) <= 8.64e15 ? times[name](time, Date.now()) : undefined
  }
  const number = numberOf(value)
  if (!Object.hasOwn(numbers, name) || !(Math.abs(number) < 1e15)) return
  const text = numbers[name](Math.abs(number))
  return [number < 0 && /[1-9]/.test(text) ? '-' + text : text]
}

/** The text of `{"value":…,"format":"age"}`. */
function written(value) {
  if (!isObject(value) || !formatName(value.format)) return
  const [text, at = Infinity] = format(value.value, value.format) ?? []
  changesAt = Math.min(changesAt, at)
  return text ?? (isText(value.value) === undefined ? number(value.value)?.toString() : clean(value.value))
}

const formatName = oneOf('age date time duration bytes number percent')

/** Whether an object describes how the value at its path is drawn. */
export const isOfValue = value => (value.format ?? value.map ?? value.thresholds) !== undefined

// Tints

const tint = value => /^#[\da-f]{6}$/i.test(isText(value)) ? value.toLowerCase()
  : oneOf('accent secondary red orange yellow green blue purple gray')(value)
const signs = {red: '✕', orange: '◐', yellow: '◐', gray: '○', secondary: '○'}
const signed = name => ({tint: name, sign: name && (own(signs, name) ?? '●')})

/** A tint, or one by a value, with a sign so that no colour has a meaning alone. */
function tintOf(value) {
  if (tint(value)) return {tint: tint(value)}
  if (!isObject(value) || value.value == null) return
  const {map, thresholds, value: decisive} = value
  if (isObject(map) && typeof decisive != 'object') return {sign: '○', ...own(map, String(decisive)) && signed(tint(map[decisive]))}
  if (Array.isArray(thresholds) && !isNaN(numberOf(decisive))) return signed(tint(thresholds.findLast(step => number(step?.[0]) <= numberOf(decisive))?.[1]))
}

const icon = value => character(value) ?? (/^[\w.-]+$/.test(isText(value)) && isText(value) ? {name: value} : undefined)
const image = value => /^(data:image\/|\/)/.test(isText(value)) ? value : undefined
const label = value => string(value) ?? number(value)?.toString()

function badge(value) {
  const rule = isObject(value) ? value.count : undefined, where = isObject(rule) && rule.where
  const text = rule === true || isTest(where) ? '' : label(value) ?? label(value?.text)
  return text === undefined ? undefined : {text, ...tintOf(value.tint), ...!text && rule && {count: where || true}}
}

/** A condition that a count knows: `{"path":…,"equals":…}`, or that in `not`. */
const isTest = test => isObject(test) && (isTest(test.not) || isText(test.path) !== undefined && test.equals !== undefined)

/** How many rows a count is of. */
export const countOf = (test, rows) => rows.filter(({item: {content}}) => test === true || meets(test, content)).length
const meets = ({not, path, equals}, content) => not ? !meets(not, content) : valueAt(content, pointer(path)) === equals

const checked = value => value === null ? 'mixed' : {true: 'checked', false: 'unchecked'}[boolean(value)]

/** The first value of the right type in layers of descending priority. */
function first(layers, name, read) {
  for (const layer of layers) {
    const value = isObject(layer) ? own(layer, name) : undefined
    const result = value === undefined ? undefined : read(value)
    if (result !== undefined) return result
  }
}

const members = (table, layers) => Object.fromEntries(Object.entries(table).map(([name, read]) => [name, first(layers, name, read)]))

/** Reads an object by a table of its members, the first of which is required. It can stand for the whole object. */
const record = (table, finish = any) => value => {
  const [name] = Object.keys(table)
  const look = members(table, [isText(value) === undefined ? value : {[name]: value}])
  return look[name] === undefined ? undefined : finish(look)
}

const accessory = record({
  type: oneOf('disclosureIndicator outlineDisclosure checkmark delete insert reorder multiselect detail label popUpMenu custom'),
  text: string, tint, displayed: oneOf('editing notEditing'), action: isText})

const action = record({
  id: value => isText(value) || undefined, title: string, icon, style: oneOf('primary destructive'), key: character, enabled: boolean, multiple: boolean,
  confirm: value => value === true || string(value), patch: value => isObject(value) ? value : undefined, operations: all(any), arguments: any,
}, look => ({...look, title: look.title ?? clean(look.id), confirm: look.confirm || look.style == 'destructive' || undefined}))

const layout = record({type: oneOf('list grid carousel table'), columns: size, minWidth: size, itemWidth: size, lines: size, snap: oneOf('none item page')})

/** `cpu`, `.cpu` and `/cpu` are the same, as in commands; `id` and `kind` are the item's own. */
export const pointer = path => path == '.' ? '' : /^(\/.*|id|kind|)$/.test(path) ? path : path.replace(/^\.+/, '').split('.').map(pointerTo).join('')
const pointerTo = name => '/' + name.replaceAll('~', '~0').replaceAll('/', '~1')

const column = record({path: isText, title: string, align: oneOf('left center right'), width: size, format: formatName,
  tint: value => isObject(value) || tint(value) ? value : undefined}, ({path, title, ...look}) => ({
  ...look, path: pointer(path), title: title ?? clean(pointer(path).split('/').at(-1))}))

const itemMembers = {icon, image, badge, tint, progress: value => number(value) === undefined ? undefined : Math.min(Math.max(value, 0), 1),
  checked, urgent: boolean, enabled: boolean, lines: count, accessories: all(accessory), hasChildren: boolean,
  toggle: value => isText(value) !== undefined && pointer(value)[0] == '/' ? pointer(value) : undefined, accessibilityLabel: shown, tooltip: string, keywords: string, actions: all(action)}
const sharedMembers = {leadingActions: all(action), trailingActions: all(action), canReorder: boolean}
const sectionMembers = {layout, appearance: oneOf('plain grouped insetGrouped sidebar sidebarPlain'), header: part, footer: part,
  pinHeader: boolean, separators: boolean, columns: all(column), selection: oneOf('none single multiple'),
  canReorder: boolean, canInsert: value => boolean(value) ?? (isObject(value) ? value : undefined), hidesWhenEmpty: boolean, more: boolean}
const listMembers = {title: string, subtitle: string, empty: part, actions: all(action)}

/** Members with a meaning other than the text. */
export const meanings = ['accessibilityLabel', 'badge', 'description', 'icon', 'image', 'keywords', 'secondaryText', 'subtitle', 'tint', 'tooltip']

/** The members of an item in layers. Without `text`, its text is under a usual name, or the first one without another meaning. */
function read(layers, content) {
  const names = isObject(content) ? ['title', 'label', 'name', ...Object.keys(content).filter(name => !meanings.includes(name))] : []
  changesAt = Infinity
  const look = {...members(itemMembers, layers), ...first(layers, 'tint', tintOf),
    text: first(layers, 'text', shown) ?? (names.length ? names.map(name => shown(own(content, name))).find(any) : shown(content) ?? number(content)?.toString()) ?? '',
    secondaryText: ['secondaryText', 'subtitle', 'description'].map(name => first(layers, name, string)).find(text => text !== undefined)}
  return changesAt < Infinity ? {...look, changesAt} : look
}

/** A header, a footer, or the text of an empty list: a text, or members like an item's. */
function part(value) {
  return isText(value) === undefined ? isObject(value) ? read([value], value) : undefined : {text: clean(value)}
}

/** A kind's members with values of the item's content in place of `{"path":…}`. */
function led(value, content) {
  if (Array.isArray(value)) return value.map(value => led(value, content)).filter(value => value !== undefined)
  if (!isObject(value)) return value
  const names = Object.keys(value)
  if (isText(value.path) !== undefined && (names.length == 1 || isOfValue(value))) {
    const found = valueAt(content, value.path)
    return names.length == 1 || found === undefined ? found : {...value, value: found}
  }
  return Object.fromEntries(names.map(name => {
    const result = /actions$/i.test(name) ? value[name] : led(value[name], content)
    // A number is text where text is expected.
    return [name, result !== value[name] && /^(text|secondaryText|tooltip|accessibilityLabel)$/.test(name) ? number(result)?.toString() ?? result : result]
  }))
}

export const listLook = (list, user) => members(listMembers, [user, list])
export const sectionLook = (section, list, user) => members(sectionMembers, [user, section, list])

/** The appearance of an item `{id, kind?, content?}`. */
export function itemLook({id, kind = '', content}, section, list, user) {
  const [before, behind] = [user, list].map(look => led(own(look?.kinds, kind), content))
  const layers = [before, content, behind]
  const look = {...read(layers, content), ...members(sharedMembers, [...layers, user, section, list])}
  look.text ||= clean(id)
  if (look.toggle) look.checked ??= valueAt(content, look.toggle) === true ? 'checked' : 'unchecked'
  // The list's own `actions` apply to no item.
  look.actions ??= first([section], 'actions', all(action))
  return look
}

/** The appearance for screen readers: a label replaces the texts and signs that it describes. */
export const spoken = look => look.accessibilityLabel
  ? {...look, text: look.accessibilityLabel, secondaryText: undefined, icon: undefined, image: undefined} : look

/** A table's cell: its text, its tint and sign, and whether it is a number: undefined for an empty cell. */
export function cell({path, format: name, tint: rule}, item, look) {
  const {content} = item
  const value = path == 'id' || path == 'kind' ? item[path] : path == '' && isObject(content ?? {}) ? look.text : valueAt(content, path)
  const colour = tintOf(isObject(rule) ? {...rule, value: valueAt(content, isText(rule.path) === undefined ? path : pointer(rule.path))} : rule)
  if (value == null) return {text: '', ...colour}
  const [written, changesAt] = format(value, name) ?? []
  const text = written ?? (Array.isArray(value) ? `[${value.length}]` : isObject(value) ? '{…}' : typeof value == 'boolean' ? (value ? '✓' : '–') : clean(String(value)))
  return {text, isNumber: written !== undefined || typeof value == 'number', changesAt, ...colour}
}

/** The columns of a table that names none: the members that its first items have, without those that are drawn outside of the cells. */
export function standardColumns(items) {
  const names = new Set(items.flatMap(({content}) => isObject(content) ? Object.keys(content).filter(name =>
    /string|number|boolean/.test(typeof content[name]) && !(name in itemMembers) && name != 'canReorder') : []))
  return names.size ? [...names].slice(0, 12).map(name => ({path: pointerTo(name), title: clean(name)})) : [{path: '', title: ''}]
}

/** The pointer to the text in the contents of a kind. */
export const textPath = (kind = '', ...looks) => looks.map(look => own(look?.kinds, kind)?.text?.path).find(path => path?.[0] == '/') ?? '/text'
