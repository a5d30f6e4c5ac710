// A view (docs/protocol-views.md) from what a user types: conditions, orders and words to search for.

import {isOfValue, meanings, pointer} from './appearance.js'

function asJSON(text) {
  try { return JSON.parse(text); } catch { return undefined; }
}

const orders = {'<': 'lessThan', '<=': 'atMost', '>': 'greaterThan', '>=': 'atLeast'}
const or = tests => tests.length == 1 ? tests[0] : {or: tests}

/** A condition as `diffablectl` reads it: `cpu>10`, `!done`, `text~milk`, `due?`; or JSON. Throws for anything else. */
export function condition(text) {
  text = text.trim()
  if (text[0] == '{') return JSON.parse(text)
  const operators = text[0] == '/' ? /^(.+?)\s*(:=|!=|<=|>=|!~|=|<|>|~(?![01]))\s*(.*)$/s : /^(.+?)\s*(:=|!=|<=|>=|!~|=|<|>|~)\s*(.*)$/s
  const found = operators.exec(text)
  if (!found) {
    const [, not, inside, bare, asks] = /^(!?)\s*(?:exists\((.*)\)|(.*?)(\?)?)$/s.exec(text)
    const path = pointer((inside ?? bare).trim())
    if (/^\/?$|\s/.test(path)) throw Error(`“${text}” is not a condition: use cpu>10, !done or due?`)
    if (inside ?? asks) return {path, exists: !not}
    const isFalse = {or: [{path, exists: false}, ...[null, false, 0, '', [], {}].map(equals => ({path, equals}))]}
    return not ? isFalse : {not: isFalse}
  }
  const [, field, operator, value] = found
  const path = pointer(field.trim())
  const json = asJSON(value)
  const quoted = typeof json == 'string'
  const both = name => or([json, quoted ? undefined : value].filter(value => value !== undefined).map(value => ({path, [name]: value})))
  if (operator == ':=') {
    if (json === undefined) throw Error(`“${value}” is not JSON`)
    return {path, equals: json}
  }
  if (orders[operator]) return {path, [orders[operator]]: typeof json == 'number' || quoted ? json : value}
  const test = both(operator.endsWith('~') ? 'contains' : 'equals')
  return operator[0] == '!' ? {not: test} : test
}

/** A sort key: `.due`, or `-.due` for descending; several with commas. */
export const order = text => text.split(',').map(key => key.trim()).filter(Boolean).map(key =>
  key[0] == '-' ? {path: pointer(key.slice(1)), descending: true} : pointer(key))

/** The paths in a kind's members: `{"path":…}`. A search does not know how a value is written. */
function pathsIn(value) {
  if (value && isOfValue(value)) return []
  if (typeof value?.path == 'string') return [value.path]
  return typeof value == 'object' && value ? Object.values(value).flatMap(pathsIn) : []
}

/** The `search` of a view that finds the words in the texts that rows show, and in `keywords`. */
export function search(words, list, user, columns, showsTexts) {
  const texts = ['text', 'secondaryText', 'badge', 'accessories', 'accessibilityLabel', 'tooltip', 'keywords']
  const kinds = [user, list].flatMap(content => Object.values(content?.kinds ?? {})).flatMap(kind => texts.flatMap(name => pathsIn(kind?.[name])))
  const paths = ['badge', 'badge/text', 'accessibilityLabel', 'tooltip', 'keywords', ...[0, 1, 2, 3].map(index => `accessories/${index}/text`)].map(path => '/' + path)
  const rows = showsTexts || columns.includes('') ? [['/text', '', '/title', '/label', '/name', {firstExcept: meanings}, 'id'], '', ['/secondaryText', '/subtitle', '/description']] : []
  return {words, in: [...new Set([...columns, ...paths, ...kinds, ...rows])]}
}
