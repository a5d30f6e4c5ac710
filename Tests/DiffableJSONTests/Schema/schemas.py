"""Makes random schemas and contents, and prints jsonschema's verdicts (PyPI's, Debian's): schemas.py SEED PAIRS

A line is `schema<TAB>TEXT<TAB>taken|refused`, or `content<TAB>TEXT<TAB>fits|not`, which refers to the last schema.

The pairs avoid cases in which jsonschema itself is not exact. Python reads 1e400 as infinity and 0.1 in binary, so half of the
schemas are read with decimals. These do not mention integers, because jsonschema does not accept decimals as integers. Up to
4.17 its `enum` takes [true] for [1], so if an enum has an array or object, no array or object contains a Boolean.
"""

import json
import random
import sys
from decimal import Decimal

try:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError
except ImportError:
    sys.exit(77)

NAMES = ["a", "b", "c", "text", "due", "done", "é", "a/b", "~", 'q"u', "back\\slash", "", "eight888", "seven77",
         "a-long-name-of-a-member", "a-long-name-of-a-membes", "b-long-name-of-a-member"]
STRINGS = ["", "a", "b", "open", "done", "é", "e\u0301", "\U0001F600", "\u20ac", 'say "hi"', "tab\t", "a/b\\c", "\u0000",
           "a longer text without anything special", "\U0001F600\U0001F601x", "null", "1"]
TYPES = ["null", "boolean", "integer", "number", "string", "array", "object"]
PER_SCHEMA = 12


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.is_exact = False
        self.has_booleans_inside = True

    def chance(self, probability):
        return self.random.random() < probability

    def pick(self, choices):
        return self.random.choice(choices)

    # Texts of values. Each is written in one of several ways.

    def string(self, meaning):
        text = '"'
        for character in meaning:
            number = ord(character)
            if character in '"\\' or number < 0x20 or self.chance(0.05):
                if number > 0xFFFF:
                    number -= 0x10000
                    text += "\\u%04x\\u%04X" % (0xD800 + (number >> 10), 0xDC00 + (number & 0x3FF))
                elif character in '"\\' and self.chance(0.5):
                    text += "\\" + character
                else:
                    text += "\\u%04x" % number
            else:
                text += character
        return text + '"'

    def number(self):
        if not self.is_exact:
            text = self.pick(["0", "1", "2", "3", "5", "10", "-1", "-2", "-0", "0.0", "1.0", "2.0", "1.5", "-1.5", "0.1",
                              "10e-1", "1e1", "1E+1", "0.10", "100e-2", "1e15", "1000000000000000", "-0.0e7", "2.50",
                              "25e-1", "12345678901234567890", "99999999999999999999999", "123.456", "20", "-7"])
            return text
        digits = self.pick(["0", "1", "2", "9", "10", "12345678901234567", "123456789012345678", "1234567890123456789",
                            "100000000000000000000000000000", "99999999999999999999999999999",
                            "123456789012345678901234567890"])
        fraction = self.pick(["", "", ".0", ".5", ".50", ".4999999999999999999999999", ".5000000000000000000000001", ".1"])
        exponent = self.pick(["", "", "e0", "e1", "E-1", "e30", "e-30", "e400", "e-400", "e+00000000000000000000002"])
        return self.pick(["", "", "-"]) + digits + fraction + exponent

    def value(self, depth=2, inside=False):
        kinds = ["null", "boolean", "number", "number", "string", "string"] + (["array", "object"] * 2 if depth > 0 else [])
        kind = self.pick(kinds)
        if kind == "boolean" and inside and not self.has_booleans_inside:
            kind = "null"
        if kind == "null":
            return "null"
        if kind == "boolean":
            return self.pick(["true", "false"])
        if kind == "number":
            return self.number()
        if kind == "string":
            return self.string(self.pick(STRINGS))
        if kind == "array":
            return "[" + ",".join(self.value(depth - 1, True) for _ in range(self.random.randrange(4))) + "]"
        names = self.random.sample(NAMES, self.random.randrange(4))
        return self.members([(name, self.value(depth - 1, True)) for name in names])

    def members(self, members):
        return "{" + ",".join(self.string(name) + ":" + text for name, text in members) + "}"

    # Schemas.

    def schema(self, depth=3):
        if self.chance(0.06):
            return self.pick(["true", "false", "{}"])
        keywords = {}
        for keyword, probability in [("type", 0.6), ("enum", 0.12), ("const", 0.06), ("title", 0.05), ("description", 0.03),
                                     ("format", 0.03), ("default", 0.03), ("examples", 0.03), ("minimum", 0.12),
                                     ("maximum", 0.12), ("exclusiveMinimum", 0.08), ("exclusiveMaximum", 0.08),
                                     ("minLength", 0.12), ("maxLength", 0.12), ("minItems", 0.12), ("maxItems", 0.12),
                                     ("required", 0.2)]:
            if self.chance(probability):
                keywords[keyword] = self.keyword(keyword)
        if depth > 0:
            if self.chance(0.55):
                names = self.random.sample(NAMES, self.random.randrange(1, 6))
                keywords["properties"] = self.members([(name, self.schema(depth - 1)) for name in names])
            if self.chance(0.3):
                keywords["items"] = self.schema(depth - 1)
            if self.chance(0.25):
                keywords["additionalProperties"] = self.schema(depth - 1) if self.chance(0.6) else "false"
        if self.chance(0.01):
            # Of any sort, but no object with members: as a schema it has keywords that jsonschema passes over.
            keywords[self.pick(["type", "properties", "required", "items", "additionalProperties", "enum", "minimum",
                                "title", "examples", "format", "description"])] = self.pick(
                                    [self.value(0), self.value(0), "{}", "[]", '[1, "a"]'])
        items = list(keywords.items())
        self.random.shuffle(items)
        return self.members(items)

    def keyword(self, keyword):
        if keyword == "type":
            types = [name for name in TYPES if name != "integer" or not self.is_exact]
            if self.chance(0.6):
                return self.string(self.pick(types))
            names = self.random.sample(types, self.random.randrange(1, 4))
            if self.chance(0.02):
                names.append(names[0])
            return "[" + ",".join(map(self.string, names)) + "]"
        if keyword == "required":
            names = self.random.sample(NAMES, self.random.randrange(3))
            if names and self.chance(0.02):
                names.append(names[0])
            return "[" + ",".join(map(self.string, names)) + "]"
        if keyword == "enum":
            return "[" + ",".join(self.value() for _ in range(self.random.randrange(9))) + "]"
        if keyword == "examples":
            return "[" + ",".join(self.value() for _ in range(self.random.randrange(3))) + "]"
        if keyword in ("const", "default"):
            return self.value()
        if keyword in ("title", "description", "format"):
            return self.string(self.pick(STRINGS))
        if keyword in ("minLength", "maxLength", "minItems", "maxItems"):
            if self.chance(0.02):
                return self.pick(["-1", "1.5", "null", '"1"'])
            if self.chance(0.1) and not self.is_exact:
                return self.pick(["1.0", "2e0", "10e-1", "1e10", "12345678901234567890123"])
            return str(self.random.randrange(0, 4) if keyword.startswith("min") else self.random.randrange(0, 6))
        return self.number()

    # Contents: most fit, or nearly.

    def content(self, schema, depth=6):
        if depth == 0 or isinstance(schema, bool) or self.chance(0.12):
            return self.value(inside=depth < 6)
        if "const" in schema and self.chance(0.9):
            return self.written(schema["const"])
        if schema.get("enum") and self.chance(0.9):
            return self.written(self.pick(schema["enum"]))
        kinds = schema.get("type", None) or self.guess(schema)
        kind = self.pick(kinds) if isinstance(kinds, list) else kinds
        if kind == "object":
            return self.object(schema, depth)
        if kind == "array":
            low = min(int(schema.get("minItems", 0)), 4)
            items = schema.get("items", True)
            return "[" + ",".join(self.content(items, depth - 1) for _ in range(low + self.random.randrange(3))) + "]"
        if kind == "string":
            return self.string(self.pick(STRINGS))
        if kind in ("integer", "number"):
            bounds = [schema[name] for name in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum") if name in schema]
            return self.written(self.pick(bounds)) if bounds and self.chance(0.4) else self.number()
        if kind == "boolean" and (depth == 6 or self.has_booleans_inside):
            return self.pick(["true", "false"])
        return "null"

    def guess(self, schema):
        if "properties" in schema or "required" in schema or "additionalProperties" in schema:
            return "object"
        if "items" in schema or "minItems" in schema or "maxItems" in schema:
            return "array"
        if "minLength" in schema or "maxLength" in schema:
            return "string"
        return self.pick(["number", "string", "object", "array"])

    def object(self, schema, depth):
        properties = schema.get("properties", {})
        names = [name for name in properties if self.chance(0.85)]
        names += [name for name in schema.get("required", []) if name not in names and self.chance(0.95)]
        if self.chance(0.2):
            names += [name for name in self.random.sample(NAMES, 1) if name not in names]
        if self.chance(0.3):
            self.random.shuffle(names)
        other = schema.get("additionalProperties", True)
        return self.members([(name, self.content(properties.get(name, other), depth - 1)) for name in names])

    def written(self, value):
        """A value in a text, with an object's members in any order."""
        if isinstance(value, dict):
            members = [(name, self.written(member)) for name, member in value.items()]
            self.random.shuffle(members)
            return self.members(members)
        if isinstance(value, list):
            return "[" + ",".join(map(self.written, value)) + "]"
        if isinstance(value, str):
            return self.string(value)
        if isinstance(value, Decimal):
            return str(value)
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**9:
            return self.pick([str(value), str(value) + ".0", str(value) + ".00e0", str(value * 10) + "e-1"])
        return json.dumps(value)

    def read(self, text):
        return json.loads(text, parse_float=Decimal) if self.is_exact else json.loads(text)


def has_container_in_enum(schema):
    if isinstance(schema, dict):
        enum = schema.get("enum", [])
        if isinstance(enum, list) and any(isinstance(value, (list, dict)) for value in enum):
            return True
        return any(map(has_container_in_enum, schema.values()))
    return isinstance(schema, list) and any(map(has_container_in_enum, schema))


def main():
    seed, pairs = int(sys.argv[1]), int(sys.argv[2])
    generator = Generator(seed)
    count = 0
    while count < pairs:
        generator.is_exact = generator.chance(0.5)
        generator.has_booleans_inside = generator.chance(0.5)
        text = generator.schema()
        schema = generator.read(text)
        if generator.has_booleans_inside and has_container_in_enum(schema):
            continue
        try:
            Draft202012Validator.check_schema(schema)
        except SchemaError:
            print("schema", text, "refused", sep="\t")
            count += 1
            continue
        print("schema", text, "taken", sep="\t")
        validator = Draft202012Validator(schema)
        for _ in range(PER_SCHEMA):
            content = generator.content(schema)
            print("content", content, "fits" if validator.is_valid(generator.read(content)) else "not", sep="\t")
            count += 1


main()
