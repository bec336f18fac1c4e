import { createHmac, generateKeyPairSync, sign } from "node:crypto"
import { join } from "node:path"
import { Directory } from "@crossdock/access"
import { describe, it } from "@effect/vitest"
import { assertMatch, assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect } from "effect"
import { processorMillis } from "../../kernel/test/processorMillis.ts"
import { temporaryFolder } from "./TemporaryFolder.ts"
import { basicOf, type Sent, start, useHost } from "./TestHost.ts"

const secret = "a secret of the tests, 32 bytes or more"
const seller = "/aggregator/v1/token"
const bazaar = "/auth/bazaar/token"
const platform = (company: number | string) => `/service/panel/authentication/v1.0/company/${company}/oauth/token`
const json = { "content-type": "application/json" }
const form = { "content-type": "application/x-www-form-urlencoded" }

const verdict = ({ body, status }: Sent): string => `${status} ${body?.code ?? ""}`

type Json = Readonly<Record<string, unknown>>

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url")

const read = (token: string, at: 0 | 1): Json =>
  JSON.parse(Buffer.from(token.split(".")[at] ?? "", "base64url").toString("utf8"))

const signed = (head: unknown, claims: unknown, key: string | Buffer = secret, hash = "sha256"): string => {
  const text = `${part(head)}.${part(claims)}`
  return `${text}.${createHmac(hash, key).update(text).digest("base64url")}`
}

const tenTimes = (run: (nth: number) => Promise<Sent>) => Promise.all(Array.from({ length: 10 }, (_, nth) => run(nth)))

const nowSeconds = () => Math.floor(Date.now() / 1000)

/** A new address for every attempt, so that one test's failures never lock out another test. */
let addresses = 0
const fromNewAddress = () => {
  addresses++
  return { "x-forwarded-for": `10.1.${addresses >> 8}.${addresses & 255}` }
}

describe("tokens", () => {
  const database = join(temporaryFolder(), "tokens.db")
  const host = useHost({ database, trustedProxies: 1, tokenSecret: secret })

  const ask = (method: string, path: string, headers: Record<string, string> = {}, body?: string) =>
    host.send(method, path, { ...fromNewAddress(), ...headers }, body)

  const use = async (path: string, token: string): Promise<string> => {
    const { body, status } = await host.anonymous.call<{ code?: string }>("GET", path, undefined, {
      "x-access-token": token
    })
    return `${status} ${body.code ?? ""}`
  }

  it("no answer of a token path may be cached, not even a rejection", async () => {
    const platform = "/service/panel/authentication/v1.0/company/1/oauth/token"
    const asked = await Promise.all([
      ask("GET", seller),
      ask("GET", `${seller}?username=nobody&password=x`),
      ask("GET", "/%61ggregator/v1/token?username=acme&password=acme-secret"),
      ask("GET", "/aggregator/v1/%74oken?username=acme&password=acme-secret"),
      ask("POST", seller, { "content-type": "text/plain" }, "x"),
      ask("DELETE", seller),
      ask("GET", "/auth/bazaar/token"),
      ask("GET", "/auth/bazaar/token?username=nobody&password=x"),
      ask("POST", platform, json, "{}"),
      ask("POST", platform, { ...json, authorization: basicOf("nobody", "x") }, '{"grant_type":"client_credentials"}')
    ])
    deepStrictEqual(
      asked.map(({ headers, status }) => [status, headers["cache-control"]]),
      [400, 401, 200, 200, 415, 405, 400, 401, 400, 401].map((status) => [status, "no-store"])
    )
  })

  describe("of sellers", () => {
    it("are issued for credentials in the query, in JSON or by HTTP Basic", async () => {
      const answers = await Promise.all([
        ask("GET", `${seller}?username=acme&password=acme-secret`),
        ask("POST", seller, json, '{"username":"acme","password":"acme-secret"}'),
        ask("POST", seller, { authorization: basicOf("acme", "acme-secret") }),
        ask("GET", seller, { authorization: basicOf("acme", "acme-secret") })
      ])
      for (const { body, headers, status } of answers) {
        deepStrictEqual(Object.keys(body).sort(), ["access_token", "status"])
        deepStrictEqual([status, (body as Json).status], [200, "SUCCESS"])
        strictEqual(headers["cache-control"], "no-store")
        strictEqual(await use("/ims/v3/listings", body.access_token ?? ""), "200 ")
      }
      strictEqual(new Set(answers.map(({ body }) => body.access_token)).size, 4)
    })

    it("a missing or empty parameter is 400 with its name", async () => {
      const missing = async (answer: Promise<Sent>) => {
        const sent = await answer
        strictEqual(verdict(sent), "400 VALIDATION_FAILED")
        return sent.body.errors?.map(({ path }) => path)
      }
      deepStrictEqual(await missing(ask("GET", seller)), ["/username", "/password"])
      deepStrictEqual(await missing(ask("GET", `${seller}?username=acme`)), ["/password"])
      deepStrictEqual(await missing(ask("GET", `${seller}?password=acme-secret`)), ["/username"])
      deepStrictEqual(await missing(ask("GET", `${seller}?username=acme&password=`)), ["/password"])
      deepStrictEqual(await missing(ask("POST", seller)), ["/username", "/password"])
      deepStrictEqual(await missing(ask("POST", seller, json, "{}")), ["/username", "/password"])
      deepStrictEqual(await missing(ask("POST", seller, json, '{"username":"acme","password":1}')), ["/password"])
      deepStrictEqual(await missing(ask("GET", bazaar)), ["/username", "/password"])
    })

    it("an unknown username and a wrong password are the same 401", async () => {
      const messages = new Set<string | undefined>()
      for (const [username, password] of [
        ["acme", "wrong"],
        ["acme", "acme-secret "],
        ["acme", "ACME-SECRET"],
        ["nobody", "acme-secret"],
        ["Acme", "acme-secret"],
        ["acme ", "acme-secret"],
        ["bazaar", "bazaar-secret"],
        ["ops", "ops-secret"],
        ["' OR 1=1 --", "x"],
        ["__proto__", "x"]
      ] as const) {
        const answer = await ask("POST", seller, json, JSON.stringify({ username, password }))
        strictEqual(verdict(answer), "401 CREDENTIALS_INVALID", username)
        messages.add(answer.body.message)
      }
      strictEqual(messages.size, 1)
    })

    it("a password with & = % + and non-ASCII characters is read as sent", async () => {
      const odd = "a&b=c%20+d é😀"
      const query = new URLSearchParams({ username: "acme", password: odd })
      strictEqual(verdict(await ask("GET", `${seller}?${query}`)), "401 CREDENTIALS_INVALID")
      strictEqual(
        verdict(await ask("GET", `${seller}?password=acme%2Dsecret&username=%61cme`)),
        "200 ",
        "escapes are undone"
      )
    })

    it("an unknown username takes about as long as a wrong password", async () => {
      const slow = await start({ passwordCost: { logN: 14, blockSize: 8, parallel: 1 } })
      const time = async (username: string) => {
        const began = processorMillis()
        await slow.send("POST", seller, json, JSON.stringify({ username, password: "wrong" }))
        return processorMillis() - began
      }
      const median = async (username: (nth: number) => string) => {
        const times: Array<number> = []
        for (let nth = 0; nth < 5; nth++) times.push(await time(username(nth)))
        return times.sort((a, b) => a - b)[2] ?? 0
      }
      await time("warm")
      const known = await median(() => "acme-adjust")
      const unknown = await median((nth) => `nobody-${nth}`)
      await slow.stop()
      assertTrue(unknown > known / 3 && unknown < known * 3, `${known} ms, unknown ${unknown} ms`)
    })
  })

  describe("of marketplaces", () => {
    it("are issued under the marketplace's own slug, in every form", async () => {
      for (const answer of [
        await ask("GET", `${bazaar}?username=bazaar&password=bazaar-secret`),
        await ask("POST", bazaar, json, '{"username":"bazaar","password":"bazaar-secret"}'),
        await ask("POST", bazaar, { authorization: basicOf("bazaar", "bazaar-secret") })
      ]) {
        strictEqual(answer.status, 200)
        deepStrictEqual(Object.keys(answer.body), ["access_token"])
        strictEqual(answer.headers["cache-control"], "no-store")
      }
    })

    it("are rejected under another slug, whether it exists or not", async () => {
      for (const slug of ["souk", "unknown", "BAZAAR", "bazaar%20", "acme"]) {
        const answer = await ask("POST", `/auth/${slug}/token`, { authorization: basicOf("bazaar", "bazaar-secret") })
        strictEqual(verdict(answer), "401 CREDENTIALS_INVALID", slug)
      }
    })
  })

  describe("of the platform", () => {
    const basic = { authorization: basicOf("ops", "ops-secret") }

    it("are issued for a form or JSON with HTTP Basic", async () => {
      for (const answer of [
        await ask("POST", platform(1), { ...basic, ...form }, "grant_type=client_credentials"),
        await ask("POST", platform(1), { ...basic, ...json }, '{"grant_type":"client_credentials"}')
      ]) {
        const { access_token, ...rest } = answer.body as Json
        strictEqual(typeof access_token, "string")
        deepStrictEqual(rest, {
          token_type: "bearer",
          expires_in: 86_400,
          scope: "company/finance/read company/finance/write company/audit/read company/audit/write"
        })
        strictEqual(answer.headers["cache-control"], "no-store")
      }
    })

    it("have only the scopes of the client", async () => {
      const answer = await ask(
        "POST",
        platform(1),
        { authorization: basicOf("viewer", "viewer-secret"), ...form },
        "grant_type=client_credentials"
      )
      strictEqual((answer.body as Json).scope, "company/finance/read company/audit/read")
    })

    it("are 401 on another company's path, whether it exists or not", async () => {
      for (const company of [2, 3, "01", "1.0", "x", "%20"]) {
        const answer = await ask("POST", platform(company), { ...basic, ...form }, "grant_type=client_credentials")
        strictEqual(verdict(answer), "401 CREDENTIALS_INVALID", String(company))
      }
    })

    it("need the right grant type and the client's credentials", async () => {
      for (const [headers, body] of [
        [form, "grant_type=password"],
        [form, ""],
        [json, "{}"]
      ] as const)
        strictEqual(verdict(await ask("POST", platform(1), { ...basic, ...headers }, body)), "400 VALIDATION_FAILED")
      strictEqual(
        verdict(await ask("POST", platform(1), { ...basic, "content-type": "text/plain" }, "x")),
        "415 UNSUPPORTED_MEDIA_TYPE"
      )
      for (const authorization of [
        "",
        "Bearer x",
        "Basic",
        "Basic !!!",
        basicOf("ops", "wrong"),
        basicOf("acme", "acme-secret")
      ])
        strictEqual(
          verdict(await ask("POST", platform(1), { authorization, ...form }, "grant_type=client_credentials")),
          "401 CREDENTIALS_INVALID",
          authorization
        )
    })
  })

  describe("claims", () => {
    const claims = async (path: string, username: string) => {
      const token = await host.tokenOf(path, username)
      deepStrictEqual(read(token, 0), { alg: "HS256", typ: "JWT" })
      const { exp, gen, iat, jti, ...rest } = read(token, 1)
      strictEqual(exp, Number(iat) + 86_400)
      assertTrue(Math.abs(Number(iat) - nowSeconds()) < 5)
      strictEqual(gen, 1)
      assertMatch(String(jti), /^[0-9a-f]{24}$/)
      return rest
    }

    it("have the account, the interface and its rights", async () => {
      deepStrictEqual(await claims(seller, "acme"), {
        iss: "crossdock",
        aud: "seller",
        sub: "acme",
        company_id: 1
      })
      deepStrictEqual(await claims(seller, "acme-blr1"), {
        iss: "crossdock",
        aud: "seller",
        sub: "acme-blr1",
        company_id: 1,
        locations: ["BLR1"]
      })
      deepStrictEqual(await claims(bazaar, "bazaar"), {
        iss: "crossdock",
        aud: "marketplace",
        sub: "bazaar",
        marketplace: "bazaar"
      })
    })

    it("of a platform token have the company and the scopes", async () => {
      const answer = await ask(
        "POST",
        platform(2),
        { authorization: basicOf("globex-ops", "globex-ops-secret"), ...form },
        "grant_type=client_credentials"
      )
      const { aud, company_id, scope, sub } = read(answer.body.access_token ?? "", 1)
      deepStrictEqual(
        { aud, company_id, sub, scopes: String(scope).split(" ").length },
        { aud: "platform", company_id: 2, sub: "globex-ops", scopes: 4 }
      )
    })
  })

  it("a token for one interface is 401 on another", async () => {
    const sellerToken = await host.tokenOf(seller, "acme")
    const marketplaceToken = await host.tokenOf(bazaar, "bazaar")
    const platformToken = (
      await ask(
        "POST",
        platform(1),
        { authorization: basicOf("ops", "ops-secret"), ...form },
        "grant_type=client_credentials"
      )
    ).body.access_token
    const order = "/order/api/v1/bazaar/order?platform_order_id=1"
    strictEqual(await use("/ims/v3/listings", marketplaceToken), "401 TOKEN_INVALID")
    strictEqual(await use("/ims/v3/listings", platformToken ?? ""), "401 TOKEN_INVALID")
    strictEqual(await use("/oms/v3/shipment?orderId=1", marketplaceToken), "401 TOKEN_INVALID")
    strictEqual(await use(order, sellerToken), "401 TOKEN_INVALID")
    strictEqual(await use(order, platformToken ?? ""), "401 TOKEN_INVALID")
    strictEqual(await use(order, marketplaceToken), "404 NOT_FOUND")
  })

  it("a token in another header is ignored", async () => {
    const token = await host.tokenOf(seller, "acme")
    const answer = await ask("GET", "/ims/v3/listings", { authorization: `Bearer ${token}` })
    strictEqual(verdict(answer), "401 TOKEN_MISSING")
    strictEqual(verdict(await ask("GET", "/ims/v3/listings", { "x-access-token": "" })), "401 TOKEN_MISSING")
    strictEqual(
      verdict(await ask("GET", `/ims/v3/listings?x-access-token=${token}&access_token=${token}`)),
      "401 TOKEN_MISSING"
    )
  })

  describe("forged tokens", () => {
    const forgeries = (token: string): ReadonlyArray<readonly [string, string]> => {
      const head = read(token, 0)
      const claims = read(token, 1)
      const [h = "", c = "", s = ""] = token.split(".")
      const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
      const pem = publicKey.export({ type: "spki", format: "pem" })
      const byRsa = (header: unknown) => {
        const text = `${part(header)}.${part(claims)}`
        return `${text}.${sign("sha256", Buffer.from(text), privateKey).toString("base64url")}`
      }
      const all: Array<readonly [string, string]> = [["padding", `${token}=`]]
      for (const alg of ["none", "None", "NONE", "nOnE", "", null, undefined, 0, "HS256 ", "hs256", "HS1", "plain"]) {
        for (const typ of ["JWT", undefined]) {
          all.push([`alg ${alg}, no signature`, `${part({ alg, typ })}.${c}.`])
          all.push([`alg ${alg}, old signature`, `${part({ alg, typ })}.${c}.${s}`])
          all.push([`alg ${alg}, right key`, signed({ alg, typ }, claims)])
        }
      }
      for (const key of [
        "",
        "secret",
        "password",
        "crossdock",
        `${secret} `,
        secret.slice(1),
        secret.toUpperCase(),
        pem
      ]) {
        all.push([`wrong key ${key}`, signed(head, claims, key)])
        all.push([`wrong key ${key}, other user`, signed(head, { ...claims, sub: "globex", company_id: 2 }, key)])
      }
      all.push(["base64 of the key", signed(head, claims, Buffer.from(secret).toString("base64"))])
      for (const [alg, hash] of [
        ["HS384", "sha384"],
        ["HS512", "sha512"],
        ["HS256", "sha512"],
        ["HS512", "sha256"],
        ["HS256", "sha1"]
      ] as const)
        all.push([`${alg} by ${hash}`, signed({ ...head, alg }, claims, secret, hash)])
      for (const alg of ["RS256", "RS384", "PS256", "ES256", "EdDSA", "A256KW", "dir"]) {
        all.push([`${alg} by a key pair`, byRsa({ alg, typ: "JWT" })])
        all.push([`${alg} by the public key as secret`, signed({ alg, typ: "JWT" }, claims, pem)])
      }
      for (const more of [
        { kid: "../../../../dev/null" },
        { kid: "' UNION SELECT '' --" },
        { kid: "/proc/sys/kernel/randomize_va_space" },
        { kid: 0 },
        { jwk: { kty: "oct", k: "" } },
        { jku: "http://127.0.0.1:1/keys" },
        { x5u: "http://127.0.0.1:1/cert" },
        { x5c: ["AA=="] },
        { crit: ["exp"] },
        { crit: [] },
        { b64: false, crit: ["b64"] },
        { zip: "DEF" }
      ]) {
        all.push([`header ${JSON.stringify(more)}, empty key`, signed({ ...head, ...more }, claims, "")])
        all.push([`header ${JSON.stringify(more)}, old signature`, `${part({ ...head, ...more })}.${c}.${s}`])
      }
      for (const typ of ["at+jwt", "JWE", "dpop+jwt", "", null, 1, "application/other"])
        all.push([`typ ${typ}`, signed({ ...head, typ }, claims)])
      all.push(["no typ", signed({ alg: "HS256" }, claims)])
      for (const change of [
        { sub: "acme-adjust" },
        { sub: "globex", company_id: 2 },
        { company_id: 2 },
        { aud: "marketplace" },
        { exp: 9_999_999_999 },
        { locations: ["BOM1"] },
        { iss: "other" },
        { gen: 2 }
      ]) {
        const altered = part({ ...claims, ...change })
        all.push([`altered ${JSON.stringify(change)}`, `${h}.${altered}.${s}`])
        all.push([`altered ${JSON.stringify(change)}, unsigned`, `${part({ alg: "none" })}.${altered}.`])
      }
      // Correctly signed, as by another service with the same key: the claims themselves must be valid.
      for (const change of [
        { aud: "marketplace" },
        { aud: "platform" },
        { aud: "Seller" },
        { aud: [] },
        { aud: undefined },
        { iss: "other" },
        { iss: undefined },
        { sub: "nobody" },
        { sub: "bazaar" },
        { sub: "ops" },
        { sub: undefined },
        { sub: 1 },
        { sub: ["acme"] },
        { jti: undefined },
        { gen: undefined },
        { gen: 0 },
        { gen: 2 },
        { gen: "1" },
        { iat: undefined },
        { exp: undefined },
        { exp: "9999999999" },
        { exp: nowSeconds() - 61 },
        { exp: 0 },
        { exp: -1 },
        { nbf: nowSeconds() + 120 }
      ])
        all.push([`signed ${JSON.stringify(change)}`, signed(head, { ...claims, ...change })])
      for (const payload of [null, [], "text", 1, true, {}])
        all.push([`payload ${JSON.stringify(payload)}`, signed(head, payload)])
      for (const text of [
        ".",
        "..",
        "...",
        h,
        `${h}.`,
        `${h}.${c}`,
        `${h}.${c}.`,
        `.${c}.${s}`,
        `${h}..${s}`,
        `..${s}`,
        `${token}.`,
        `${token}.${s}`,
        `.${token}`,
        `${token}.AA.AA`,
        `Bearer ${token}`,
        `"${token}"`,
        `${token},${token}`,
        `${token} ${token}`,
        token.toUpperCase(),
        token.replaceAll(".", ","),
        `${h}.${c}.${s.slice(0, -1)}`,
        `${h}.${c}.${s}A`,
        `${h}.${c}.${[...s].reverse().join("")}`,
        `${h}.${c}.${Buffer.alloc(32).toString("base64url")}`,
        `${c}.${h}.${s}`,
        "null",
        "undefined",
        "0",
        "true",
        "{}",
        "a".repeat(5000),
        `${h}.${"A".repeat(4000)}.${s}`
      ])
        all.push([`form ${text.slice(0, 40)}`, text])
      for (let at = 0; at < 32; at++) {
        const bytes = Buffer.from(s, "base64url")
        bytes[at] = (bytes[at] ?? 0) ^ (1 << (at % 8))
        all.push([`signature with byte ${at} changed`, `${h}.${c}.${bytes.toString("base64url")}`])
      }
      return all
    }

    it("are all rejected, more than 200 of them", async () => {
      const token = await host.tokenOf(seller, "acme")
      const all = forgeries(token)
      assertTrue(all.length >= 200, `only ${all.length}`)
      strictEqual(new Set(all.map(([, forged]) => forged)).size > 200, true)
      strictEqual(all.filter(([, forged]) => forged === token).length, 0)
      const accepted: Array<string> = []
      for (const [name, forged] of all) {
        const answer = await use("/ims/v3/listings", forged)
        if (answer !== "401 TOKEN_INVALID" && answer !== "401 TOKEN_EXPIRED") accepted.push(`${name}: ${answer}`)
      }
      deepStrictEqual(accepted, [])
      strictEqual(await use("/ims/v3/listings", token), "200 ")
      strictEqual(
        await use("/ims/v3/listings", signed(read(token, 0), read(token, 1))),
        "200 ",
        "the key is the secret"
      )
    })

    it("don't include expired tokens, which are TOKEN_EXPIRED within 60 seconds of their expiry", async () => {
      const token = await host.tokenOf(seller, "acme")
      const aged = (seconds: number) =>
        signed(read(token, 0), { ...read(token, 1), iat: nowSeconds() - 86_400, exp: nowSeconds() - seconds })
      strictEqual(await use("/ims/v3/listings", aged(61)), "401 TOKEN_EXPIRED")
      strictEqual(await use("/ims/v3/listings", aged(86_400)), "401 TOKEN_EXPIRED")
    })
  })

  describe("failed sign-ins", () => {
    const attempt = (username: string, password: string, address: string) =>
      host.send("POST", seller, { ...json, "x-forwarded-for": address }, JSON.stringify({ username, password }))

    it("make the 11th attempt after 10 failures 429 for that username, from any address, even with the right password", async () => {
      const failures = await tenTimes((nth) => attempt("globex", "wrong", `10.2.0.${nth}`))
      deepStrictEqual(new Set(failures.map(verdict)), new Set(["401 CREDENTIALS_INVALID"]))
      for (const password of ["wrong", "globex-secret"]) {
        const answer = await attempt("globex", password, "10.2.1.1")
        strictEqual(verdict(answer), "429 TOO_MANY_ATTEMPTS")
        const wait = Number(answer.headers["retry-after"])
        assertTrue(wait >= 1 && wait <= 60, String(wait))
      }
      strictEqual(verdict(await attempt("acme", "acme-secret", "10.2.0.1")), "200 ", "another name is not touched")
    })

    it("make the 11th attempt after 10 failures 429 for that address, for any username", async () => {
      const failures = await tenTimes((nth) => attempt(`no-one-${nth}`, "wrong", "10.3.0.1"))
      deepStrictEqual(new Set(failures.map(verdict)), new Set(["401 CREDENTIALS_INVALID"]))
      strictEqual(verdict(await attempt("acme", "acme-secret", "10.3.0.1")), "429 TOO_MANY_ATTEMPTS")
      strictEqual(verdict(await attempt("acme", "acme-secret", "10.3.0.2")), "200 ", "another address is not touched")
    })

    it("are limited to ten attempts even if sent at once", async () => {
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, nth) => attempt("acme-adjust", `wrong-${nth}`, `10.4.0.${nth}`))
      )
      strictEqual(verdict(await attempt("acme-adjust", "acme-adjust-secret", "10.4.1.1")), "429 TOO_MANY_ATTEMPTS")
      deepStrictEqual(new Set(answers.map(({ status }) => status)).has(200), false)
    })

    it("are counted separately for each interface", async () => {
      await tenTimes((nth) => attempt("souk", "wrong", `10.5.0.${nth}`))
      const answer = await ask("POST", "/auth/souk/token", { authorization: basicOf("souk", "souk-secret") })
      strictEqual(verdict(answer), "200 ")
    })

    it("don't include requests without a username", async () => {
      const address = { "x-forwarded-for": "10.6.0.1" }
      for (let nth = 0; nth < 12; nth++) await host.send("POST", seller, { ...json, ...address }, "{}")
      strictEqual(verdict(await attempt("acme", "acme-secret", "10.6.0.1")), "200 ")
    })
  })

  it("X-Forwarded-For is ignored unless the host is set to trust it", async () => {
    const direct = await start()
    const attempt = (address: string, username: string) =>
      direct.send(
        "POST",
        seller,
        { ...json, "x-forwarded-for": address },
        JSON.stringify({ username, password: "wrong" })
      )
    await tenTimes((nth) => attempt(`10.7.0.${nth}`, `nobody-${nth}`))
    strictEqual(verdict(await attempt("10.7.1.1", "somebody")), "429 TOO_MANY_ATTEMPTS")
    await direct.stop()
  })

  it("behind two proxies the caller is the entry before the last, whatever it sends itself", async () => {
    const behind = await start({ trustedProxies: 2 })
    const attempt = (forwarded: string, username: string) =>
      behind.send(
        "POST",
        seller,
        { ...json, "x-forwarded-for": forwarded },
        JSON.stringify({ username, password: "wrong" })
      )
    await tenTimes((nth) => attempt(`10.8.9.${nth}, 10.8.0.1, 10.8.0.${100 + nth}`, `nobody-${nth}`))
    strictEqual(verdict(await attempt("10.8.0.1, 10.8.0.2", "somebody")), "429 TOO_MANY_ATTEMPTS")
    strictEqual(verdict(await attempt("10.8.0.1", "somebody")), "429 TOO_MANY_ATTEMPTS")
    strictEqual(verdict(await attempt("10.8.0.1, 10.8.0.3, 10.8.0.2", "somebody")), "401 CREDENTIALS_INVALID")
    await behind.stop()
  })

  it("the port that a proxy adds to an address does not make it another one, and what is no address does not count", async () => {
    const behind = await start({ trustedProxies: 1 })
    const attempt = (forwarded: string, username: string) =>
      behind.send(
        "POST",
        seller,
        { ...json, "x-forwarded-for": forwarded },
        JSON.stringify({ username, password: "wrong" })
      )
    await tenTimes((nth) => attempt(`203.0.113.7:${50_000 + nth}`, `nobody-${nth}`))
    strictEqual(verdict(await attempt("203.0.113.7", "somebody")), "429 TOO_MANY_ATTEMPTS")
    await tenTimes((nth) => attempt(`[2001:db8::1]:${50_000 + nth}`, `none-${nth}`))
    strictEqual(verdict(await attempt("2001:db8::2", "somebody")), "429 TOO_MANY_ATTEMPTS")
    await tenTimes((nth) => attempt(nth % 2 === 0 ? `no-address-${nth}` : "", `not-${nth}`))
    strictEqual(verdict(await attempt("neither", "somebody")), "429 TOO_MANY_ATTEMPTS")
    await behind.stop()
  })

  it("QUERY_CREDENTIALS=0 turns off credentials in the query, and no other form", async () => {
    const strict = await start({ queryCredentials: false })
    for (const [path, name] of [
      [seller, "acme"],
      [bazaar, "bazaar"]
    ] as const) {
      const query = await strict.send("GET", `${path}?username=${name}&password=${name}-secret`)
      strictEqual(verdict(query), "400 QUERY_CREDENTIALS_DISABLED")
      const body = JSON.stringify({ username: name, password: `${name}-secret` })
      strictEqual(verdict(await strict.send("POST", path, json, body)), "200 ")
      strictEqual((await strict.tokenOf(path, name)).split(".").length, 3)
    }
    await strict.stop()
  })

  it("credentials can't be injected through the header that carries them inside the host", async () => {
    const answer = await ask("GET", seller, {
      "x-crossdock-query-credentials": "username=acme&password=acme-secret"
    })
    strictEqual(verdict(answer), "400 VALIDATION_FAILED")
  })

  it("SANDBOX=0 rejects the sandbox's credentials and tokens on a database that has them", async () => {
    const token = await host.tokenOf(seller, "acme")
    const closed = await start({ database, sandbox: false, tokenSecret: secret })
    for (const [path, name] of [
      [seller, "acme"],
      [bazaar, "bazaar"]
    ] as const)
      strictEqual(
        verdict(await closed.send("POST", path, { authorization: basicOf(name, `${name}-secret`) })),
        "401 CREDENTIALS_INVALID"
      )
    const withToken = await closed.send("GET", "/ims/v3/listings", { "x-access-token": token })
    strictEqual(verdict(withToken), "401 TOKEN_INVALID")
    strictEqual(await use("/ims/v3/listings", token), "200 ")
    await closed.stop()
  })

  it("disabling an integration or changing its password ends its tokens within 5 seconds", async () => {
    const [first, second] = await Promise.all([host.tokenOf(seller, "acme"), host.tokenOf(seller, "acme-blr1")])
    strictEqual(await use("/ims/v3/listings", first), "200 ")
    strictEqual(await use("/ims/v3/listings", second), "200 ")
    await Effect.gen(function* () {
      const directory = yield* Directory
      const [one, other] = yield* Effect.all([
        directory.account("integration", "acme"),
        directory.account("integration", "acme-blr1")
      ])
      if (one === undefined || other === undefined) return yield* Effect.die(new Error("no such account"))
      yield* directory.putAccounts([
        { ...one, enabled: false },
        { ...other, generation: other.generation + 1 }
      ])
    }).pipe(host.run)
    const started = performance.now()
    const ended = async (token: string) => {
      while ((await use("/ims/v3/listings", token)) === "200 ") {
        if (performance.now() - started > 5000) return false
      }
      return true
    }
    deepStrictEqual(await Promise.all([ended(first), ended(second)]), [true, true])
    strictEqual(await use("/ims/v3/listings", first), "401 TOKEN_INVALID")
    strictEqual(
      verdict(await ask("POST", seller, { authorization: basicOf("acme", "acme-secret") })),
      "401 CREDENTIALS_INVALID"
    )
    strictEqual(verdict(await ask("POST", seller, { authorization: basicOf("acme-blr1", "acme-blr1-secret") })), "200 ")
  })
})
