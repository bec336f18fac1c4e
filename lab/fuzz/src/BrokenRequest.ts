/** Ways to break a whole request. Each has the right statuses for the answer. */

import * as JsonText from "./JsonText.ts"
import { needsToken, type Operation } from "./Operation.ts"
import * as Request from "./Request.ts"
import * as SignedIn from "./SignedIn.ts"

/** What is needed to break a request. */
export interface Means {
  readonly callers: ReadonlyArray<SignedIn.SignedIn>
  /** The host's key for signing tokens. It is undefined if it isn't known. */
  readonly secret: string | undefined
}

type Break = (request: Request.Request, means: Means) => Partial<Request.Request> | undefined

const headers =
  (more: Readonly<Record<string, string>>, expected?: ReadonlyArray<number>): Break =>
  (request) => ({
    headers: { ...request.headers, ...more },
    expected
  })

const bytes =
  (of: (text: string) => Buffer | string, expected?: ReadonlyArray<number>): Break =>
  (request) =>
    request.body === undefined ? undefined : { bytes: Buffer.from(of(JsonText.of(request.body)) as string), expected }

const token =
  (of: (request: Request.Request, means: Means) => string | undefined): Break =>
  (request, means) => {
    if (!needsToken(request.operation) || request.caller === undefined) return undefined
    const text = of(request, means)
    if (text === undefined) return undefined
    return {
      caller: undefined,
      headers: { ...request.headers, ...(text === "" ? {} : SignedIn.carrying(request.operation.interface, text)) },
      expected: [401]
    }
  }

const claims = (of: (now: number) => object): Break =>
  token(({ caller }, { secret }) =>
    secret === undefined ? undefined : SignedIn.resigned(caller?.token ?? "", secret, of(Math.floor(Date.now() / 1000)))
  )

const target =
  (of: (path: string) => string, expected?: ReadonlyArray<number>): Break =>
  (request) => ({
    target: Request.targetOf({ ...request, query: [] }).replace(/^[^?]*/, of),
    expected
  })

const method =
  (name: string): Break =>
  ({ operation }) =>
    operation.methods.includes(name) ? undefined : { method: name, expected: [405] }

const isWrite = ({ parameters }: Operation): boolean => parameters.some(({ name }) => name === "Idempotency-Key")

const key =
  (value: string, expected: ReadonlyArray<number>): Break =>
  (request) =>
    isWrite(request.operation)
      ? // A dry run ignores the key.
        {
          query: request.query.filter(([name]) => name !== "dry_run"),
          headers: { ...request.headers, "idempotency-key": value },
          expected
        }
      : undefined

const json = /^application\/json$/

const ofJson =
  (change: Break): Break =>
  (request, means) =>
    needsToken(request.operation) && json.test(request.operation.body?.type ?? "") ? change(request, means) : undefined

const breaks: Readonly<Record<string, Break>> = {
  "no token": token(() => ""),
  "a token that is no token": token(() => "rubbish"),
  "a token with a character changed": token(({ caller }) =>
    caller?.token.replace(/.(?=[^.]*$)/, (one) => (one === "A" ? "B" : "A"))
  ),
  "a token without signature": token(({ caller }) => caller?.token.replace(/[^.]*$/, "")),
  "a token of algorithm none": token(({ caller }) => {
    const [, body = ""] = caller?.token.split(".") ?? []
    return `${Buffer.from('{"alg":"none","typ":"JWT"}').toString("base64url")}.${body}.`
  }),
  "a token of another interface": token(
    ({ operation }, { callers }) => callers.find((one) => one.interface !== operation.interface)?.token
  ),
  "an expired token": claims((now) => ({ iat: now - 200_000, exp: now - 100_000 })),
  "a token of the future": claims((now) => ({ iat: now + 100_000, exp: now + 200_000, nbf: now + 100_000 })),
  "a token of nobody": claims(() => ({ sub: "nobody" })),
  "a token without its end": claims(() => ({ exp: undefined })),
  "a token for another audience": claims(() => ({ aud: "everybody" })),
  "another scheme": token(({ caller }) => `Basic ${caller?.token}`),
  "another method": method("PATCH"),
  "the method DELETE": method("DELETE"),
  "the method PUT": method("PUT"),
  "the method POST": method("POST"),
  "the method OPTIONS": method("OPTIONS"),
  "the method HEAD": ({ operation }) =>
    operation.method === "GET"
      ? { method: "HEAD", expected: undefined }
      : { method: "HEAD", expected: operation.methods.includes("GET") ? undefined : [405] },
  "a slash at the end": target((path) => `${path}/`, [404]),
  "two slashes": target((path) => path.replace("/", "//"), [404]),
  "the path in capitals": target((path) => path.toUpperCase(), [404]),
  "more path": target((path) => `${path}/more/and/more`, [404]),
  "a percent sign": target((path) => `${path}%`, undefined),
  "escapes that are not valid": target((path) => `${path}%zz`, undefined),
  "escapes that are no text": target((path) => `${path}%ff%fe`, undefined),
  "an escaped slash": target((path) => `${path}%2f`, undefined),
  "a path of 10,000 characters": target((path) => `${path}${"x".repeat(10_000)}`, undefined),
  "dots in the path": target((path) => path.replace(/^\/[^/]*/, (first) => `${first}/..${first}`), undefined),
  "a matrix parameter": target((path) => `${path};a=b`, undefined),
  "the query twice": ({ query }) => (query.length === 0 ? undefined : { query: [...query, ...query] }),
  "a query of brackets": ({ query }) => ({ query: query.map(([name, value]) => [`${name}[]`, value] as const) }),
  "a query of nested brackets": ({ query }) => ({
    query: query.map(([name, value]) => [`${name}[__proto__][x]`, value] as const)
  }),
  "an unknown parameter": ({ query }) => ({ query: [...query, ["__proto__", "1"], ["unknown", "\u0000"]] }),
  "a thousand parameters": ({ query }) => ({
    query: [...query, ...Array.from({ length: 1_000 }, (_, at) => [`p${at}`, "1"] as const)]
  }),
  "a query that is not valid": (request) =>
    request.target === undefined ? { target: `${Request.targetOf({ ...request, query: [] })}?&&&=&=&%&a` } : undefined,
  "escapes in the query that are no text": (request) =>
    request.target === undefined
      ? { target: `${Request.targetOf({ ...request, query: [] })}?a=%ff&%C0%80=1` }
      : undefined,
  "a body where none belongs": (request) =>
    request.operation.body === undefined ? { bytes: Buffer.from('{"a":1}'), expected: undefined } : undefined,
  "a header of 20,000 characters": headers({ "x-long": "x".repeat(20_000) }, [431]),
  "200 headers": headers(Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`x-${at}`, "1"])), undefined),
  "a request id of its own": headers({ "x-request-id": "my-own.id_1" }),
  "a request id with blanks": headers({ "x-request-id": "not an id" }),
  "a request id of 200 characters": headers({ "x-request-id": "i".repeat(200) }),
  "a request id with other letters": headers({ "x-request-id": "id-\u00e9\u00ff" }),
  "an accept of something else": headers({ accept: "text/csv", "accept-encoding": "br", "accept-language": "xx" }),
  "credentials in a header of the host": headers({
    "x-crossdock-query-credentials": "username=acme&password=acme-secret"
  }),
  "a cookie": headers({ cookie: "a=b; __proto__=c" }),
  "an origin": headers({ origin: "https://example.com", "access-control-request-method": "POST" }),
  "an expectation": headers({ expect: "the-unexpected" }, [417]),
  "an upgrade": headers({ connection: "upgrade", upgrade: "websocket" }),
  "an empty Idempotency-Key": key(" ", [400]),
  "an Idempotency-Key of 256 characters": key("k".repeat(256), [400]),
  "an Idempotency-Key with other letters": (request) =>
    isWrite(request.operation) ? { headers: { ...request.headers, "idempotency-key": "schl\u00fcssel" } } : undefined,
  "a text": ofJson((request) => ({ headers: { ...request.headers, "content-type": "text/plain" }, expected: [415] })),
  "a form": ofJson((request) => ({
    headers: { ...request.headers, "content-type": "application/x-www-form-urlencoded" },
    expected: [415]
  })),
  "a form of parts": ofJson((request) => ({
    headers: { ...request.headers, "content-type": "multipart/form-data; boundary=x" },
    expected: [415]
  })),
  "no content type": ofJson((request) => ({ headers: { ...request.headers, "content-type": "" }, expected: [415] })),
  "a content type that is not valid": ofJson((request) => ({
    headers: { ...request.headers, "content-type": "application" },
    expected: [415]
  })),
  "a content type in capitals": ofJson((request) => ({
    headers: { ...request.headers, "content-type": "APPLICATION/JSON ; charset=UTF-8" }
  })),
  "another charset": ofJson((request) => ({
    headers: { ...request.headers, "content-type": "application/json; charset=utf-16" }
  })),
  "a compressed body": ofJson((request) => ({
    headers: { ...request.headers, "content-encoding": "gzip" },
    expected: [415]
  })),
  "an empty body": ofJson(bytes(() => "", [400])),
  "a blank body": ofJson(bytes(() => "  \n", [400])),
  "JSON cut off": ofJson(bytes((text) => text.slice(0, -1), [400])),
  "JSON cut in half": ofJson(bytes((text) => text.slice(0, text.length >> 1), [400])),
  "a byte order mark": ofJson(bytes((text) => `\ufeff${text}`)),
  "UTF-16": ofJson(bytes((text) => Buffer.from(text, "utf16le"), [400])),
  "bytes that are no text": ofJson(
    bytes(
      (text) => Buffer.concat([Buffer.from(text.slice(0, -1)), Buffer.from([0xff, 0xfe]), Buffer.from(text.slice(-1))]),
      [400]
    )
  ),
  "bytes in a text that are no text": ofJson(
    bytes(() => Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xc0, 0x80]), Buffer.from('"}')]), [400])
  ),
  "an encoded surrogate": ofJson(
    bytes(() => Buffer.concat([Buffer.from('["'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"]')]), [400])
  ),
  "a comma at the end": ofJson(bytes((text) => `${text.slice(0, -1)},${text.slice(-1)}`, [400])),
  "a comment": ofJson(bytes((text) => `/* */${text}`, [400])),
  "single quotes": ofJson(bytes(() => "{'a': 1}", [400])),
  NaN: ofJson(bytes(() => '[{"a": NaN}]', [400])),
  "a leading zero": ofJson(bytes(() => '[{"a": 01}]', [400])),
  "two values": ofJson(bytes((text) => `${text}${text}`, [400])),
  "more after the end": ofJson(bytes((text) => `${text}]`, [400])),
  "a NUL after the end": ofJson(bytes((text) => `${text}\u0000`, [400])),
  "a control character in a text": ofJson(bytes(() => '["a\u0001b"]', [400])),
  "a body that is null": ofJson(bytes(() => "null", [400])),
  "a body that is a text": ofJson(bytes(() => '"text"', [400])),
  "a body that is a number": ofJson(bytes(() => "7", [400])),
  "a body that is true": ofJson(bytes(() => "true", [400])),
  "an empty list": ofJson(bytes(() => "[]", [400])),
  "an empty object": ofJson(bytes(() => "{}")),
  "a list of lists": ofJson(bytes(() => "[[],[[]]]")),
  "a list of null": ofJson(bytes(() => "[null, null]")),
  "a body of 33 levels": ofJson(bytes(() => `${"[".repeat(33)}${"]".repeat(33)}`, [400])),
  "a body of 100,000 levels": ofJson(bytes(() => `${"[".repeat(100_000)}${"]".repeat(100_000)}`, [400])),
  "a body of 100,000 objects": ofJson(bytes(() => `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`, [400])),
  "a body of 6 MiB": ofJson(
    bytes((text) => `${text.slice(0, -1)}${" ".repeat(6 * 1024 * 1024)}${text.slice(-1)}`, [413])
  ),
  "501 records": ofJson(({ body }) =>
    Array.isArray(body) ? { body: Array.from({ length: 501 }, () => body[0]), expected: [400] } : undefined
  )
}

export const names: ReadonlyArray<string> = Object.keys(breaks)

/** The request, broken in this way. It is undefined if that isn't possible. */
export const broken = (name: string, request: Request.Request, means: Means): Request.Request | undefined => {
  const changed = breaks[name]?.(request, means)
  return changed === undefined ? undefined : { ...request, ...changed, broken: name }
}
