// Resolves the appearance of a list, its sections and its items from their contents (docs/appearance.md), by the rules of
// Sources/DiffableView/Looks. Nothing fails: an unknown member is ignored, and a member of a wrong type counts as missing, so
// the next source is used. A resolved appearance has only the members that differ from the default.
//
// The cases of Tests/DiffableViewTests/Looks/looks.json apply to both viewers.

/** Code units of the longest text that is drawn. */
const textLengthMax = 65536;
const segmenter = new Intl.Segmenter();

/** Removes characters that could make a text look like another one: control and bidirectional ones. White space is a space. */
export function clean(text) {
  if (text.length > textLengthMax) text = text.slice(0, textLengthMax - 1) + "…";
  if (/^[ -~]*$/.test(text)) return text;
  return text.replace(/[\t-\r\x85\u2028\u2029]/g, " ").replace(/[\p{Cc}\p{Cs}\p{Bidi_C}]/gu, "");
}

const isObject = value => typeof value == "object" && value !== null && !Array.isArray(value);
const own = (object, name) => isObject(object) && Object.hasOwn(object, name) ? object[name] : undefined;

/** The value at a JSON pointer; undefined if there is none. */
export function valueAt(value, pointer) {
  if (pointer == "") return value;
  if (pointer[0] != "/") return undefined;
  for (const part of pointer.slice(1).split("/")) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    value = Array.isArray(value) ? (/^(0|[1-9]\d*)$/.test(name) ? value[name] : undefined) : own(value, name);
  }
  return value;
}

// Readers return undefined for a wrong type.
const string = value => typeof value == "string" ? clean(value) : undefined;
const shown = value => string(value)?.trim() ? clean(value) : undefined;
const boolean = value => typeof value == "boolean" ? value : undefined;
const number = value => typeof value == "number" ? value : undefined;
const count = value => Number.isInteger(value) && value >= 0 ? value : undefined;
const size = value => count(value) || undefined;
const oneOf = names => value => names.split(" ").includes(value) ? value : undefined;
const arrayOf = read => value => Array.isArray(value) ? value.map(read).filter(read => read !== undefined) : undefined;
const typed = types => value => types(typeof value == "string" ? value : own(value, "type"));

function character(value) {
  const text = string(value)?.trim();
  return text && text == clean(value) && segmenter.segment(text).containing(0).segment == text ? text : undefined;
}

function tint(value) {
  if (/^#[\da-f]{6}$/i.test(value)) return value.toLowerCase();
  return oneOf("accent secondary red orange yellow green blue purple gray")(value);
}

const icon = value => character(value) ?? (/^[\w.-]+$/.test(typeof value == "string" ? value : "") ? {name: value} : undefined);
const image = value => typeof value == "string" && /^(data:image\/|\/)/.test(value) ? value : undefined;
const badgeText = value => string(value) ?? number(value)?.toString();

function badge(value) {
  const text = badgeText(value) ?? badgeText(own(value, "text"));
  return text === undefined ? undefined : known({text, tint: tint(own(value, "tint"))});
}

const checked = value => value === null ? "mixed" : value === true ? "checked" : value === false ? "unchecked" : undefined;

const accessoryType = typed(oneOf(
  "disclosureIndicator outlineDisclosure checkmark delete insert reorder multiselect detail label popUpMenu custom"));

function accessory(value) {
  const type = accessoryType(value);
  if (!type) return undefined;
  const displayed = oneOf("editing notEditing")(own(value, "displayed"));
  const action = own(value, "action");
  return known({type, text: string(own(value, "text")), tint: tint(own(value, "tint")), displayed,
    action: typeof action == "string" ? action : undefined});
}

function action(value) {
  const id = own(value, "id");
  if (typeof id != "string" || !id) return undefined;
  const style = oneOf("primary destructive")(own(value, "style"));
  const confirm = own(value, "confirm");
  const effect = isObject(own(value, "patch")) ? "patch" : Array.isArray(own(value, "operations")) ? "operations" : "arguments";
  return known({id, title: string(own(value, "title")) ?? clean(id), icon: icon(own(value, "icon")), style,
    key: character(own(value, "key")), confirm: confirm === true || (string(confirm) ?? (style == "destructive" || undefined)),
    enabled: own(value, "enabled") === false ? false : undefined, multiple: own(value, "multiple") === true || undefined,
    [effect]: own(value, effect)});
}

const layoutType = typed(oneOf("list grid carousel table"));

function layout(value) {
  const type = layoutType(value);
  if (!type) return undefined;
  const sizes = Object.fromEntries(["columns", "minWidth", "itemWidth", "lines"].map(name => [name, size(own(value, name))]));
  return known({type, ...sizes, snap: oneOf("none item page")(own(value, "snap"))});
}

/** `cpu`, `.cpu` and `/cpu` are the same, as in commands; `id` and `kind` are the item's own. */
function pointer(path) {
  if (path == ".") return "";
  if (/^(\/.*|id|kind|)$/.test(path)) return path;
  return path.replace(/^\.+/, "").split(".").map(pointerTo).join("");
}

export const pointerTo = name => "/" + name.replaceAll("~", "~0").replaceAll("/", "~1");

function column(value) {
  const path = typeof value == "string" ? value : own(value, "path");
  if (typeof path != "string") return undefined;
  const at = pointer(path);
  return known({path: at, title: string(own(value, "title")) ?? clean(at.split("/").filter(Boolean).at(-1) ?? at),
    align: oneOf("left center right")(own(value, "align")), width: size(own(value, "width"))});
}

/** Members of an item that are read in the same way, and their defaults. */
const itemMembers = {icon, image, badge, tint, progress: value => number(value) === undefined ? undefined : Math.min(Math.max(value, 0), 1),
  checked, urgent: boolean, enabled: boolean, lines: count, accessories: arrayOf(accessory), hasChildren: boolean,
  accessibilityLabel: shown, tooltip: string, keywords: string};
const sectionMembers = {layout, appearance: oneOf("plain grouped insetGrouped sidebar sidebarPlain"), header: part, footer: part,
  pinHeader: boolean, separators: boolean, columns: arrayOf(column), selection: oneOf("none single multiple"),
  canReorder: boolean, canInsert: boolean, more: boolean};
const listMembers = {title: string, subtitle: string, empty: part, actions: arrayOf(action)};
const standard = {urgent: false, enabled: true, lines: 1, hasChildren: false, appearance: "plain", pinHeader: true,
  separators: false, selection: "single", canReorder: false, canInsert: false, more: false};
const swipes = ["leadingActions", "trailingActions"];

/** The members of an object that are known and not the default. */
const known = object => Object.fromEntries(Object.entries(object).filter(
  ([name, value]) => value !== undefined && !(value === standard[name])));

/** The first value of the right type in layers of descending priority. */
function first(layers, name, read) {
  for (const layer of layers) {
    const value = own(layer, name);
    const result = value === undefined ? undefined : read(value);
    if (result !== undefined) return result;
  }
}

const members = (table, layers) =>
  Object.fromEntries(Object.entries(table).map(([name, read]) => [name, first(layers, name, read)]));

/** Members with a meaning other than the text. */
export const meanings = ["accessibilityLabel", "badge", "description", "icon", "image", "keywords", "secondaryText", "subtitle",
  "tint", "tooltip"];

/** The text of an item without `text`: the usual names, then the first text without another meaning. */
function standardText(content) {
  if (!isObject(content)) return shown(content) ?? number(content)?.toString();
  for (const name of ["title", "label", "name"]) if (shown(own(content, name))) return clean(content[name]);
  for (const name in content) if (!meanings.includes(name) && shown(content[name])) return clean(content[name]);
}

const texts = (layers, content) => ({
  text: first(layers, "text", shown) ?? standardText(content) ?? "",
  secondaryText: ["secondaryText", "subtitle", "description"].map(name => first(layers, name, string)).find(text => text !== undefined),
});

/** A header, a footer, or the text of an empty list: a text, or members like an item's. */
function part(value) {
  if (typeof value == "string") return {text: clean(value)};
  if (!isObject(value)) return undefined;
  return known({...texts([value], value), ...members(itemMembers, [value]), actions: some(first([value], "actions", arrayOf(action)))});
}

const some = array => array?.length ? array : undefined;

const led = (value, content) => {
  if (Array.isArray(value)) return value.map(value => led(value, content)).filter(value => value !== undefined);
  if (!isObject(value)) return value;
  const names = Object.keys(value);
  if (names.length == 1 && typeof value.path == "string") return valueAt(content, value.path);
  return Object.fromEntries(names.map(name => [name, led(value[name], content)]));
};

/** A kind's members with values of the item's content in place of `{"path":…}`. */
function following(kind, content) {
  if (!isObject(kind)) return undefined;
  return Object.fromEntries(Object.entries(kind).map(([name, value]) => {
    if (/actions$/i.test(name)) return [name, value];
    const result = led(value, content);
    const isText = /^(text|secondaryText|tooltip|accessibilityLabel)$/.test(name);
    return [name, isText && isObject(value) && typeof result == "number" ? String(result) : result];
  }));
}

export function listLook(list, user) {
  const look = members(listMembers, [user, list]);
  return known({...look, actions: some(look.actions)});
}

export const sectionLook = (section, list, user) => known(members(sectionMembers, [user, section, list]));

/** The appearance of an item `{id, kind?, content?}`. */
export function itemLook({id, kind = "", content}, section, list, user) {
  const layers = [following(own(own(user, "kinds"), kind), content), content, following(own(own(list, "kinds"), kind), content)];
  const shared = [user, section, list];
  const look = {...texts(layers, content), ...members(itemMembers, layers)};
  look.text ||= clean(id);
  const actions = name => first(layers, name, arrayOf(action));
  // The list's own `actions` apply to no item.
  look.actions = some(actions("actions") ?? first([section], "actions", arrayOf(action)));
  for (const name of swipes) look[name] = some(actions(name) ?? first(shared, name, arrayOf(action)));
  look.canReorder = first(layers, "canReorder", boolean) ?? first(shared, "canReorder", boolean);
  return known(look);
}

/** The appearance for screen readers: a label replaces the texts and signs that it describes. */
export function spoken(look) {
  if (!look.accessibilityLabel) return look;
  const {secondaryText, icon, image, ...rest} = look;
  return {...rest, text: look.accessibilityLabel};
}

/** The text of a table's cell, and whether it is a number: undefined for an empty cell. */
export function cell(path, item, look) {
  if (path == "id" || path == "kind") return {text: clean(item[path] ?? ""), isNumber: false};
  const value = path == "" && (item.content === undefined || isObject(item.content)) ? look.text : valueAt(item.content, path);
  if (value === undefined || value === null) return {text: ""};
  const text = typeof value == "boolean" ? (value ? "✓" : "–") : Array.isArray(value) ? `[${value.length}]`
    : isObject(value) ? "{…}" : clean(String(value));
  return {text, isNumber: typeof value == "number"};
}

/** Members that are drawn outside of the cells. */
const signs = "icon image badge tint progress checked urgent enabled lines hasChildren canReorder accessibilityLabel tooltip keywords".split(" ");

/** The columns of a table that names none: the members that its first items have. */
export function standardColumns(items) {
  const names = new Set();
  for (const {content} of items) {
    if (isObject(content)) for (const name in content) {
      if (!signs.includes(name) && names.size < 12 && /string|number|boolean/.test(typeof content[name])) names.add(name);
    }
  }
  return names.size ? [...names].map(name => ({path: pointerTo(name), title: clean(name)})) : [{path: "", title: ""}];
}

/** The pointer to the text in the contents of a kind. */
export function textPath(kind = "", list, user) {
  return first([own(own(user, "kinds"), kind), own(own(list, "kinds"), kind)], "text",
    value => /^\//.test(own(value, "path")) ? value.path : undefined) ?? "/text";
}
