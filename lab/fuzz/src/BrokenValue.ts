/** Ways to break a value in a body, and texts that break a parameter. */
import * as JsonText from "./JsonText.ts"
import type { Schema } from "./Operation.ts"

const none = Symbol()

type Break = (value: unknown, schema: Schema) => unknown

const nested = (levels: number) => new JsonText.Raw(`${"[".repeat(levels)}${"]".repeat(levels)}`)

const hostile: Readonly<Record<string, string>> = {
  blank: "   ",
  "a NUL": "a\u0000b",
  "a control character": "a\u0007b",
  "a C1 control character": "a\u0085b",
  "a high surrogate alone": "a\ud800",
  "a low surrogate alone": "\udc00b",
  "surrogates in the wrong order": "\udc00\ud800",
  "astral characters": "😀👩‍👩‍👧‍👦".repeat(3),
  "right to left": "\u202eabc\u202c שלום مرحبا",
  "what can't be seen": "\u200b\u2060\ufeff",
  "combining characters": `e${"\u0301".repeat(60)}`,
  "line separators": "a\u2028b\u2029c",
  noncharacters: "\ufffe\uffff",
  "the text __proto__": "__proto__",
  "the text constructor": "constructor",
  "the text toString": "toString",
  "the text null": "null",
  "the text undefined": "undefined",
  "the text NaN": "NaN",
  quotes: `"' OR '1'='1' --`,
  SQL: "x'); DROP TABLE crossdock_companies; --",
  "a pattern of LIKE": "%_\\%",
  HTML: "<script>alert(1)</script><img src=x onerror=alert(1)>",
  "a template": `{{7*7}} \${7*7} #{7*7} <%= 7*7 %>`,
  CRLF: "a\r\nSet-Cookie: a=b\r\n\r\n<html>",
  "a format": "%s%n%x{0}",
  "a path": "../../../../etc/passwd",
  backslashes: "\\\\\\",
  "a pointer's escapes": "~0~1/a~b",
  "other digits": "١٢٣４５",
  "a date that isn't": "2026-02-30T25:61:61Z",
  "the last instant": "+275760-09-13T00:00:00.000Z",
  "a year of 5 digits": "10000-01-01T00:00:00Z",
  "an instant without its offset": "2026-05-04T10:20:30",
  "a number as text": "1",
  "a huge number as text": "9".repeat(400),
  "a long text": "x".repeat(20_001),
  "a long text of astral characters": "😀".repeat(2_001),
  "another company's location": "DEL1",
  "another company's SKU": "GX-TEE-S",
  "no enumeration's value": "nope",
  "a javascript address": "javascript:alert(1)",
  "an address with a user": "https://user:password@example.com/",
  "a shipment id": "00000000000000000000",
  "a hex id": "0".repeat(24)
}

const text =
  (to: (most: number) => string): Break =>
  (value, { maxLength }) =>
    typeof value === "string" ? to(typeof maxLength === "number" ? maxLength : 2_000) : none

const bound =
  (of: (schema: Schema) => unknown, by: number): Break =>
  (_, schema) => {
    const limit = of(schema)
    return typeof limit === "number" ? limit + by : none
  }

const raw =
  (json: string): Break =>
  (value) =>
    typeof value === "number" ? new JsonText.Raw(json) : none

const named: Readonly<Record<string, Break>> = {
  "left out": () => undefined,
  null: () => null,
  "a number": (value) => (typeof value === "number" ? none : 7),
  "a text": (value) => (typeof value === "string" ? none : "seven"),
  "a boolean": (value) => (typeof value === "boolean" ? !value : true),
  "an empty text": () => "",
  "an empty list": () => [],
  "an empty object": () => ({}),
  "in a list": (value) => [value],
  "in an object": (value) => ({ value }),
  "an object instead of a list": (value) => (Array.isArray(value) ? { ...value } : none),
  "a list twice": (value) => (Array.isArray(value) ? [...value, ...value] : none),
  "a long list": (value) => (Array.isArray(value) ? Array.from({ length: 501 }, () => value[0]) : none),
  "a list with null": (value) => (Array.isArray(value) ? [...value, null] : none),
  "one character too many": text((most) => "x".repeat(most + 1)),
  "as long as allowed": text((most) => "x".repeat(most)),
  "as long as allowed, astral": text((most) => "😀".repeat(most)),
  "in the other case": (value) =>
    typeof value === "string" ? (value === value.toUpperCase() ? value.toLowerCase() : value.toUpperCase()) : none,
  "with blanks around it": (value) => (typeof value === "string" ? ` ${value} ` : none),
  "below its bound": bound(({ minimum }) => minimum, -1),
  "above its bound": bound(({ maximum }) => maximum, 1),
  "its lowest": bound(({ minimum }) => minimum, 0),
  "its highest": bound(({ maximum }) => maximum, 0),
  zero: (value) => (typeof value === "number" ? 0 : none),
  negative: (value) => (typeof value === "number" ? -1 : none),
  "a fraction": (value) => (typeof value === "number" ? value + 0.5 : none),
  "a third decimal": (value) => (typeof value === "number" ? value + 0.001 : none),
  "a binary fraction": raw("0.30000000000000004"),
  "minus zero": raw("-0"),
  "minus zero point zero": raw("-0.0"),
  "one with decimals": raw("1.0"),
  "one with an exponent": raw("1E0"),
  "a tiny number": raw("1e-320"),
  "1e308": raw("1e308"),
  "beyond every number": raw("1e999"),
  "-1e999": raw("-1e999"),
  "2^53": raw("9007199254740992"),
  "2^53 + 1": raw("9007199254740993"),
  "2^63": raw("9223372036854775808"),
  "a number of 400 digits": raw("9".repeat(400)),
  "16 significant digits": raw("12345678901234.56"),
  "nested 40 levels": () => nested(40),
  "nested 20 levels": () => nested(20),
  "a key __proto__": () => new JsonText.Raw('{"__proto__": {"isAdmin": true}}'),
  "a key constructor.prototype": () => new JsonText.Raw('{"constructor": {"prototype": {"isAdmin": true}}}'),
  "keys of every object": () =>
    new JsonText.Raw('{"toString": 1, "valueOf": 2, "hasOwnProperty": 3, "length": -1, "then": {}}'),
  "numbers as keys": () => ({ 0: "a", 1: "b", length: 2 }),
  "a key with a NUL": () => ({ "a\u0000b": 1 }),
  "a key alone with a surrogate": () => new JsonText.Raw('{"\\ud800": 1}'),
  "an empty key": () => ({ "": { "": [] } }),
  "a long key": () => ({ ["k".repeat(20_001)]: 1 })
}

const breaks: ReadonlyArray<readonly [name: string, apply: Break]> = [
  ...Object.entries(named),
  ...Object.entries(hostile).map(([name, value]) => [name, (): unknown => value] as const)
]

export const names: ReadonlyArray<string> = breaks.map(([name]) => name)

const byName = new Map(breaks)

/** The value, broken in this way. The list is empty if that isn't possible. */
export const broken = (name: string, value: unknown, schema: Schema): readonly [] | readonly [unknown] => {
  const result = byName.get(name)?.(value, schema)
  return result === none ? [] : [result]
}

/** Texts that break a parameter in the path, the query or a header. */
export const texts: ReadonlyArray<readonly [name: string, text: string]> = [
  ...Object.entries(hostile),
  ["an empty text", ""],
  ["zero", "0"],
  ["minus one", "-1"],
  ["a fraction", "1.5"],
  ["an exponent", "1e3"],
  ["a plus sign", "+1"],
  ["hexadecimal", "0x10"],
  ["a leading zero", "01"],
  ["blanks around it", " 1 "],
  ["2^53", "9007199254740992"],
  ["1e9 + 1", "1000000001"],
  ["201", "201"],
  ["true in capitals", "TRUE"],
  ["yes", "yes"],
  ["a list of commas", ",,,"],
  ["a list of 300", Array.from({ length: 300 }, (_, at) => `v${at}`).join(",")],
  ["11 values", "a,b,c,d,e,f,g,h,i,j,k"],
  ["JSON", '{"a":[1]}'],
  ["broken JSON", '{"a":'],
  ["an open quote", '"open'],
  ["JSON with __proto__", '{"__proto__":{"a":1}}'],
  ["an unknown key", "unknown.key:1"],
  ["a colon", ":"],
  ["another company", "2"],
  ["another marketplace", "souk"],
  ["a company that isn't", "999999"],
  ["nested JSON", `${"[".repeat(500)}${"]".repeat(500)}`]
]
