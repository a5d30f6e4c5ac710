import assert from "node:assert/strict";
import {test} from "node:test";
import {condition, order} from "../../Web/query.js";

// The same as in Tests/DiffableCtlTests/ShortConditionTests.swift.
const conditions = {
  "unread=true": {or: [{path: "/unread", equals: true}, {path: "/unread", equals: "true"}]},
  "text=Buy milk": {path: "/text", equals: "Buy milk"},
  "text=": {path: "/text", equals: ""},
  "zip=01234": {path: "/zip", equals: "01234"},
  'zip="12"': {path: "/zip", equals: "12"},
  "url=http://x/?a=b": {path: "/url", equals: "http://x/?a=b"},
  "n:=1": {path: "/n", equals: 1},
  "done!=true": {not: {or: [{path: "/done", equals: true}, {path: "/done", equals: "true"}]}},
  "cpu >= 9.5": {path: "/cpu", atLeast: 9.5},
  "due<2027-01-01": {path: "/due", lessThan: "2027-01-01"},
  'n<"10"': {path: "/n", lessThan: "10"},
  "tags~1": {or: [{path: "/tags", contains: 1}, {path: "/tags", contains: "1"}]},
  "tags!~later": {not: {path: "/tags", contains: "later"}},
  "due?": {path: "/due", exists: true},
  "! due?": {path: "/due", exists: false},
  "!exists( .a.b )": {path: "/a/b", exists: false},
  "kind?": {path: "kind", exists: true},
  "id=milk": {path: "id", equals: "milk"},
  ".id=milk": {path: "/id", equals: "milk"},
  "/a~1b~milk": {path: "/a~1b", contains: "milk"},
  "/a.b>1": {path: "/a.b", greaterThan: 1},
};
for (const [text, json] of Object.entries(conditions)) test(text, () => assert.deepEqual(condition(text), json));

test("words without an operator are not a condition", () => assert.throws(() => condition("buy milk")));

test("a sort key may be descending", () =>
  assert.deepEqual(order("-.due, name"), [{path: "/due", descending: true}, "/name"]));
