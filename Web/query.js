// A view (docs/protocol-views.md) from what a user types: conditions, orders and words to search for.

import {meanings} from "./appearance.js";

/** `cpu`, `.cpu` and `/cpu` are the same; `id` and `kind` are the item's own. */
const pointer = path => /^(id|kind|\/.*)$/.test(path) ? path : "/" + path.replace(/^\./, "").replaceAll("~", "~0").replaceAll(".", "/");

function asJSON(text) {
  try { return JSON.parse(text); } catch { return undefined; }
}

const orders = {"<": "lessThan", "<=": "atMost", ">": "greaterThan", ">=": "atLeast"};
const or = tests => tests.length == 1 ? tests[0] : {or: tests};

/** A condition as `diffablectl` reads it: `cpu>10`, `!done`, `text~milk`, `due?`; or JSON. Throws for anything else. */
export function condition(text) {
  text = text.trim();
  if (text[0] == "{") return JSON.parse(text);
  const operators = text[0] == "/" ? /^(.+?)\s*(:=|!=|<=|>=|!~|=|<|>|~(?![01]))\s*(.*)$/s : /^(.+?)\s*(:=|!=|<=|>=|!~|=|<|>|~)\s*(.*)$/s;
  const found = operators.exec(text);
  if (!found) {
    const [, not, inside, bare, asks] = /^(!?)\s*(?:exists\((.*)\)|(.*?)(\?)?)$/s.exec(text);
    const path = pointer((inside ?? bare).trim());
    if (path == "/" || /\s/.test(path)) throw Error(`“${text}” is not a condition: use cpu>10, !done, text~milk or due?`);
    if (inside !== undefined || asks) return {path, exists: !not};
    const isFalse = {or: [{path, exists: false}, ...[null, false, 0, "", [], {}].map(equals => ({path, equals}))]};
    return not ? isFalse : {not: isFalse};
  }
  const [, field, operator, value] = found;
  const path = pointer(field.trim());
  const json = asJSON(value);
  const quoted = typeof json == "string";
  const both = name => or([json, quoted ? undefined : value].filter(value => value !== undefined).map(value => ({path, [name]: value})));
  if (operator == ":=") {
    if (json === undefined) throw Error(`“${value}” is not JSON`);
    return {path, equals: json};
  }
  if (orders[operator]) return {path, [orders[operator]]: typeof json == "number" || quoted ? json : value};
  const test = both(operator.endsWith("~") ? "contains" : "equals");
  return operator[0] == "!" ? {not: test} : test;
}

/** A sort key: `.due`, or `-.due` for descending; several with commas. */
export const order = text => text.split(",").map(key => key.trim()).filter(Boolean).map(key =>
  key[0] == "-" ? {path: pointer(key.slice(1)), descending: true} : pointer(key));

const isPath = value => typeof value?.path == "string" && Object.keys(value).length == 1;

function pathsIn(value) {
  if (isPath(value)) return [value.path];
  return typeof value == "object" && value ? Object.entries(value).flatMap(([name, value]) => name == "tint" ? [] : pathsIn(value)) : [];
}

/** The places where the rows of a kind show text. `before` and `behind` are the user's and the list's members for the kind. */
function places(before, behind, columns, showsTexts) {
  const all = new Set(columns);
  const alternatives = [];
  const add = (names, otherwise = []) => {
    const found = [];
    let isSame = false;
    const take = value => {
      if (isSame || value === undefined) return;
      if (isPath(value)) { found.push(value.path); all.add(value.path); } else isSame = typeof value == "string";
    };
    for (const name of names) {
      take(before?.[name]);
      if (!isSame) found.push("/" + name);
      take(behind?.[name]);
    }
    if (!isSame) found.push(...otherwise);
    if (found.length) alternatives.push(found);
  };
  if (showsTexts) {
    add(["text"], ["", "/title", "/label", "/name", {firstExcept: meanings}, "id"]);
    all.add("");
    add(["secondaryText", "subtitle", "description"]);
  }
  const signs = ["badge", "accessories", "accessibilityLabel", "tooltip", "keywords"];
  for (const path of ["badge", "badge/text", ...signs.slice(2), ...[0, 1, 2, 3].map(index => `accessories/${index}/text`)]) all.add("/" + path);
  for (const kind of [before, behind]) for (const name of signs) for (const path of pathsIn(kind?.[name])) all.add(path);
  return [...all, ...alternatives];
}

/** The `search` of a view that finds the words in the texts that rows show. */
export function search(words, list, user, columns, showsTexts) {
  const kinds = [...new Set([user, list].flatMap(content => Object.keys(content?.kinds ?? {})))];
  const found = (kind) => places(user?.kinds?.[kind], list?.kinds?.[kind], columns, showsTexts || columns.includes(""));
  return {words, in: found(undefined), ...kinds.length && {kinds: kinds.map(kind => ({kind, in: found(kind)}))}};
}
