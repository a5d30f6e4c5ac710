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

const isObject = value => typeof value == 'object' && value && !Array.isArray(value)
const own = (value, name) => Object.hasOwn(value ?? {}, name) ? value[name] : undefined

/** The value at a JSON pointer; undefined if there is none. */
export const valueAt = (value, pointer) => pointer && pointer[0] != '/' ? undefined : pointer.split('/').slice(1).reduce((value, part) => {
  const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
  return isObject(value) || Array.isArray(value) && /^(0|[1-9]\d*)$/.test(name) ? own(value, name) : undefined
}, value)

// Readers return undefined for a wrong type.
const is = type => value => typeof value == type ? value : undefined
const isText = is('string'), boolean = is('boolean'), number = is('number')
const string = value => isText(value) === undefined ? undefined : clean(value)
const shown = value => string(value)?.trim() ? clean(value) : undefined
const count = value => Number.isInteger(value) && value >= 0 ? value : undefined
const size = value => count(value) || undefined
const oneOf = names => value => names.split(' ').includes(value) ? value : undefined
const all = read => value => Array.isArray(value) ? value.map(read).filter(Boolean) : undefined
const any = value => value

function character(value) {
  const text = shown(value)
  return text?.trim() == text && segmenter.segment(text).containing()?.segment == text ? text : undefined
}

const tint = value => /^#[\da-f]{6}$/i.test(value) ? value.toLowerCase()
  : oneOf('accent secondary red orange yellow green blue purple gray')(value)
const icon = value => character(value) ?? (/^[\w.-]+$/.test(isText(value)) && isText(value) ? {name: value} : undefined)
const image = value => /^(data:image\/|\/)/.test(isText(value)) ? value : undefined
const label = value => string(value) ?? number(value)?.toString()

function badge(value) {
  const text = label(value) ?? label(value?.text)
  return text === undefined ? undefined : {text, tint: tint(value.tint)}
}

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

const column = record({path: isText, title: string, align: oneOf('left center right'), width: size}, ({path, title, ...look}) => ({
  ...look, path: pointer(path), title: title ?? clean(pointer(path).split('/').at(-1))}))

const itemMembers = {icon, image, badge, tint, progress: value => number(value) === undefined ? undefined : Math.min(Math.max(value, 0), 1),
  checked, urgent: boolean, enabled: boolean, lines: count, accessories: all(accessory), hasChildren: boolean,
  accessibilityLabel: shown, tooltip: string, keywords: string, actions: all(action)}
const sharedMembers = {leadingActions: all(action), trailingActions: all(action), canReorder: boolean}
const sectionMembers = {layout, appearance: oneOf('plain grouped insetGrouped sidebar sidebarPlain'), header: part, footer: part,
  pinHeader: boolean, separators: boolean, columns: all(column), selection: oneOf('none single multiple'),
  canReorder: boolean, canInsert: boolean, more: boolean}
const listMembers = {title: string, subtitle: string, empty: part, actions: all(action)}

/** Members with a meaning other than the text. */
export const meanings = ['accessibilityLabel', 'badge', 'description', 'icon', 'image', 'keywords', 'secondaryText', 'subtitle', 'tint', 'tooltip']

/** The members of an item in layers. Without `text`, its text is under a usual name, or the first one without another meaning. */
function read(layers, content) {
  const names = isObject(content) ? ['title', 'label', 'name', ...Object.keys(content).filter(name => !meanings.includes(name))] : []
  return {...members(itemMembers, layers),
    text: first(layers, 'text', shown) ?? (names.length ? names.map(name => shown(own(content, name))).find(any) : shown(content) ?? number(content)?.toString()) ?? '',
    secondaryText: ['secondaryText', 'subtitle', 'description'].map(name => first(layers, name, string)).find(text => text !== undefined)}
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
  if (names.length == 1 && isText(value.path) !== undefined) return valueAt(content, value.path)
  return Object.fromEntries(names.map(name => {
    const result = /actions$/i.test(name) ? value[name] : led(value[name], content)
    // A number is text where text is expected.
    return [name, result !== value[name] && /^(text|secondaryText|tooltip|accessibilityLabel)$/.test(name) ? label(result) ?? result : result]
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
  // The list's own `actions` apply to no item.
  look.actions ??= first([section], 'actions', all(action))
  return look
}

/** The appearance for screen readers: a label replaces the texts and signs that it describes. */
export const spoken = look => look.accessibilityLabel
  ? {...look, text: look.accessibilityLabel, secondaryText: undefined, icon: undefined, image: undefined} : look

/** The text of a table's cell, and whether it is a number: undefined for an empty cell. */
export function cell(path, item, look) {
  const value = path == 'id' || path == 'kind' ? item[path] : path == '' && isObject(item.content ?? {}) ? look.text : valueAt(item.content, path)
  if (value == null) return {text: ''}
  const text = Array.isArray(value) ? `[${value.length}]` : isObject(value) ? '{…}' : typeof value == 'boolean' ? (value ? '✓' : '–') : clean(String(value))
  return {text, isNumber: typeof value == 'number'}
}

/** The columns of a table that names none: the members that its first items have, without those that are drawn outside of the cells. */
export function standardColumns(items) {
  const names = new Set(items.flatMap(({content}) => isObject(content) ? Object.keys(content).filter(name =>
    /string|number|boolean/.test(typeof content[name]) && !(name in itemMembers) && name != 'canReorder') : []))
  return names.size ? [...names].slice(0, 12).map(name => ({path: pointerTo(name), title: clean(name)})) : [{path: '', title: ''}]
}

/** The pointer to the text in the contents of a kind. */
export const textPath = (kind = '', ...looks) => looks.map(look => own(look?.kinds, kind)?.text?.path).find(path => path?.[0] == '/') ?? '/text'
