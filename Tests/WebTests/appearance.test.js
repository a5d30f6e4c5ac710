// The table of cases that both viewers have to pass: Tests/DiffableViewTests/Looks/looks.json.

import assert from "node:assert/strict";
import {readFileSync} from "node:fs";
import {test} from "node:test";
import {cell, clean, format, itemLook, listLook, sectionLook, spoken, standardColumns, valueAt} from "../../Web/appearance.js";

// An hour ahead of UTC.
process.env.TZ = "Etc/GMT-1";

const file = new URL("../DiffableViewTests/Looks/looks.json", import.meta.url);
// JavaScript's numbers are doubles: a number is drawn as JavaScript writes it, not as the content does.
const asRead = text => text.replace(/"(\d+\.\d+)"/g, (_, number) => JSON.stringify(String(Number(number))));
const cases = JSON.parse(asRead(readFileSync(file, "utf8")));

test("the table has all its cases", () => assert.ok(cases.length > 50));

const standard = {urgent: false, enabled: true, lines: 1, hasChildren: false, appearance: "plain", pinHeader: true, separators: false,
  selection: "single", canReorder: false, canInsert: false, more: false, multiple: false};

/** The members that are not the default, as the table has them. */
function known(look) {
  if (Array.isArray(look)) return look.map(known);
  if (typeof look != "object" || !look) return look;
  return Object.fromEntries(Object.entries(look).filter(([name, value]) => value !== undefined && value !== standard[name]
    && !(/actions$/i.test(name) && !value.length)).map(([name, value]) => [name, /patch|operations|arguments/.test(name) ? value : known(value)]));
}

for (const example of cases) {
  test(example.rule, () => {
    const {id = "id", kind, content, section, list, user} = example;
    Date.now = () => example.now ?? 0;
    if (example.format) {
      for (const [value, text, changesAt] of example.texts) {
        const [written, at] = format(value, example.format) ?? [null];
        assert.equal(written, text);
        if (changesAt) assert.equal(at, changesAt);
      }
    } else if (example.column) {
      const [column] = sectionLook(undefined, list).columns;
      assert.deepEqual(known(cell(column, {id, content}, {})), example.column);
    } else if (example.item ?? example.spoken) {
      const look = itemLook({id, kind, content}, section, list, user);
      assert.deepEqual(known(example.spoken ? spoken(look) : look), example.item ?? example.spoken);
    } else if (example.sectionLook) {
      assert.deepEqual(known(sectionLook(section, list, user)), example.sectionLook);
    } else {
      assert.deepEqual(known(listLook(list, user)), example.listLook);
    }
  });
}

test("no name of JavaScript's own is a member", () => {
  assert.equal(valueAt({}, "/constructor/name"), undefined);
  assert.equal(valueAt("text", "/length"), undefined);
  assert.equal(valueAt(["a"], "/length"), undefined);
  assert.deepEqual(["constructor", "__proto__"].map(text => cell({path: "/a"}, {content: {a: text}}, {}).text), ["constructor", "__proto__"]);
  assert.equal(itemLook({id: "a", kind: "constructor"}, undefined, {kinds: {}}).text, "a");
});

test("no text turns its direction or has half a character", () => {
  assert.equal(clean("a\u202eb\u2066c\u200fd\ud800e\u0000f\u009bg\u2028h"), "abcdefg h");
  assert.equal(clean("日本 👨‍👩‍👧"), "日本 👨‍👩‍👧");
});

test("a cell shows a sign for a boolean and the size of an array", () => {
  const item = {id: "a", content: {yes: true, no: false, rows: [1, 2], more: {}, n: 3}};
  assert.deepEqual(["/yes", "/no", "/rows", "/more", "/n", "/gone"].map(path => cell({path}, item, {}).text),
    ["✓", "–", "[2]", "{…}", "3", ""]);
  assert.equal(cell({path: "/n"}, item, {}).isNumber, true);
});

test("a table without columns shows what its first items have", () => {
  const items = [{id: "a", content: {icon: "x", pid: 1}}, {id: "b", content: {pid: 2, user: "ada", tags: []}}];
  assert.deepEqual(standardColumns(items).map(column => column.path), ["/pid", "/user"]);
});
