import { existsSync, readFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { afterAll, beforeAll } from "vitest"
import * as HostProcess from "../../../lab/system-tests/src/HostProcess.ts"
import * as TestCommand from "../../../lab/system-tests/test/TestCommand.ts"
import { temporaryFolder } from "../../http/test/TemporaryFolder.ts"
import type { Finding } from "../src/doctor/Finding.ts"
import * as InProcess from "./InProcess.ts"

const folder = temporaryFolder()
const receiver = createServer((_, response) => response.writeHead(204).end())
const [oldKey, newKey, lostKey] = ["0a".repeat(32), "0b".repeat(32), "0c".repeat(32)]

const secretOf = (slug: string) => `whsec_${Buffer.from(slug.padEnd(32, "-")).toString("base64")}`

const slugs = ["mandi", "souk"]

/** A company and two marketplaces with webhooks. */
const database = async (name: string, environment: Readonly<Record<string, string>> = {}) => {
  const url = `sqlite:${join(folder, `${name}.db`)}`
  const run = async (line: string, input = "") => {
    const surroundings = { environment: { DATABASE_URL: url, ...environment }, input }
    const ended = await InProcess.run(InProcess.words(line), surroundings)
    deepStrictEqual([line, ended.code, ended.stderr], [line, 0, ""])
  }
  await run("migrate")
  await run("company add 7 --name Bakery --legal-name Bakery")
  await run("location add 7 NGT1 --name One --currency INR")
  await run("seller add 7 bakery --generate")
  const address = receiver.address()
  const port = typeof address === "object" ? address?.port : 0
  for (const slug of slugs) {
    const market = { slug, name: slug, currency: "INR", password: "a long password" }
    const locations = [{ companyId: 7, location: "NGT1", code: "N" }]
    const webhook = { url: `http://127.0.0.1:${port}/${slug}`, secret: secretOf(slug) }
    await run("marketplace add -", JSON.stringify({ ...market, locations, webhook }))
  }
  return url
}

const bytesOf = (url: string) => {
  const file = url.replace("sqlite:", "")
  const files = ["", "-wal", "-shm"].map((end) => `${file}${end}`).filter((name) => existsSync(name))
  return files.map((name) => readFileSync(name, "latin1")).join("")
}

const foundIn = (text: string) => [...slugs.map(secretOf), oldKey, newKey, lostKey].filter((one) => text.includes(one))

const rotate = async (url: string, keys: Readonly<Record<string, string>>) => {
  const ended = await InProcess.run(["rotate-secret", "secrets-key"], { environment: { DATABASE_URL: url, ...keys } })
  deepStrictEqual(foundIn(`${ended.stdout}${ended.stderr}`), [])
  return ended
}

const doctor = async (url: string, environment: Readonly<Record<string, string>>) => {
  const { code, stdout } = await InProcess.run(["doctor", "--json"], {
    environment: { DATABASE_URL: url, ...environment }
  })
  const found: ReadonlyArray<Finding> = JSON.parse(stdout)
  const secrets = found.find(({ check }) => check === "webhook secrets")
  deepStrictEqual(foundIn(stdout), [])
  return { code, ...secrets }
}

describe("Secrets of webhooks in the database", () => {
  beforeAll(() => new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve)))
  afterAll(() => void receiver.close())

  it("are encrypted by a command, with the present key, as often as it runs, and then in no file of the database", async () => {
    const url = await database("rotated")
    deepStrictEqual(foundIn(bytesOf(url)), slugs.map(secretOf))
    const without = await rotate(url, {})
    deepStrictEqual([without.code, without.stdout], [1, ""])
    assertTrue(without.stderr.startsWith("SECRETS_KEY is unset: make a key"), without.stderr)
    for (const [keys, encrypted] of [
      [{ SECRETS_KEY: oldKey }, 2],
      [{ SECRETS_KEY: oldKey }, 0],
      [{ SECRETS_KEY: newKey, SECRETS_KEY_PREVIOUS: oldKey }, 2],
      [{ SECRETS_KEY: newKey }, 0]
    ] as const) {
      const ended = await rotate(url, keys)
      deepStrictEqual(
        [ended.code, ended.stdout],
        [
          0,
          `Encrypted the secrets of ${encrypted} webhooks with SECRETS_KEY; ${2 - encrypted} already were.\nSECRETS_KEY_PREVIOUS can be unset.\n`
        ]
      )
      deepStrictEqual(foundIn(bytesOf(url)), [])
    }
    const lost = await rotate(url, { SECRETS_KEY: lostKey, SECRETS_KEY_PREVIOUS: oldKey })
    strictEqual(lost.code, 1)
    deepStrictEqual(lost.stdout.split("\n").slice(0, 3), [
      "Encrypted the secrets of 0 webhooks with SECRETS_KEY; 0 already were.",
      "marketplace mandi: its secrets can't be decrypted and are unchanged.",
      "marketplace souk: its secrets can't be decrypted and are unchanged."
    ])
  })

  it("are never in the database in plain when the key was there from the start", async () => {
    const url = await database("encrypted", { SECRETS_KEY: newKey })
    deepStrictEqual(foundIn(bytesOf(url)), [])
    assertTrue(bytesOf(url).includes('"encrypted":"v1.'))
    deepStrictEqual(await doctor(url, { SECRETS_KEY: newKey }), {
      code: 0,
      check: "webhook secrets",
      state: "ok",
      says: "2 webhooks, all encrypted with SECRETS_KEY",
      todo: null
    })
  })

  it("are judged by doctor: in plain where others reach the host, of an earlier key, and of a key that is lost", async () => {
    const url = await database("judged")
    const outside = { HOST: "0.0.0.0", SANDBOX: "0", PUBLIC_URL: "https://partner.example" }
    const judged = async (environment: Readonly<Record<string, string>>) => {
      const { code, says, state, todo } = await doctor(url, environment)
      return [code, state, says, todo?.split(/[:,(]/)[0]]
    }
    deepStrictEqual(await judged({}), [0, "ok", "2 webhooks, stored in plain", undefined])
    const plain = "the secrets of 2 webhooks are stored in plain: every copy of the database contains them"
    deepStrictEqual(await judged(outside), [0, "warning", plain, "set SECRETS_KEY to a key "])
    // Behind a proxy on the same machine.
    deepStrictEqual((await judged({ PUBLIC_URL: "https://partner.example" })).slice(0, 3), [0, "warning", plain])
    const command = "run crossdock rotate-secret secrets-key"
    deepStrictEqual(await judged({ SECRETS_KEY: oldKey }), [
      0,
      "warning",
      "the secrets of 2 webhooks are not encrypted yet",
      command
    ])
    strictEqual((await rotate(url, { SECRETS_KEY: oldKey })).code, 0)
    const both = { SECRETS_KEY: newKey, SECRETS_KEY_PREVIOUS: oldKey }
    const earlier = "the secrets of 2 webhooks are still encrypted with SECRETS_KEY_PREVIOUS"
    deepStrictEqual(await judged(both), [0, "warning", earlier, command])
    for (const keys of [{ SECRETS_KEY: lostKey }, {}] as const) {
      const [code, state, says, todo] = await judged(keys)
      deepStrictEqual([code, state, todo], [1, "fault", "set SECRETS_KEY or SECRETS_KEY_PREVIOUS to that key"])
      assertTrue(
        /^nothing is sent to marketplace mandi, marketplace souk: the secret is encrypted with key [0-9a-f]{12}, which this host doesn't have$/.test(
          String(says)
        ),
        String(says)
      )
    }
  })

  it("are named when a host starts that can't decrypt them; it serves all the same, and its log has none of them", async () => {
    const url = await database("started", { SECRETS_KEY: oldKey })
    for (const [keys, says] of [
      [{ SECRETS_KEY: lostKey }, "set SECRETS_KEY or SECRETS_KEY_PREVIOUS to that key"],
      [
        { SECRETS_KEY: newKey, SECRETS_KEY_PREVIOUS: oldKey },
        "the secrets of 2 webhooks are still encrypted with SECRETS_KEY_PREVIOUS"
      ]
    ] as const) {
      const host = await HostProcess.start({
        DATABASE_URL: url,
        SANDBOX: "0",
        LOG_LEVEL: "trace",
        LOG_FORMAT: "json",
        ...keys
      })
      strictEqual((await fetch(`${host.url}/health/ready`)).status, 200)
      strictEqual(await host.stop(), 0)
      assertTrue(host.log().includes(says), host.log())
      deepStrictEqual(foundIn(host.log()), [])
    }
  })

  it("keep a host from starting whose key is not valid, in one sentence without the key", async () => {
    const { code, stderr } = await TestCommand.crossdock(["start"], {
      DATABASE_URL: "memory:",
      SECRETS_KEY: "a password"
    })
    strictEqual(code, 1)
    assertTrue(stderr.startsWith("SECRETS_KEY must be 32 bytes as hex or Base64, which openssl rand"), stderr)
    strictEqual(stderr.includes("a password"), false)
  })

  it("are kept by commands that change a marketplace, also by one without the key", async () => {
    const url = await database("changed", { SECRETS_KEY: newKey })
    const disabled = await InProcess.run(InProcess.words("location disable 7 NGT1"), {
      environment: { DATABASE_URL: url }
    })
    deepStrictEqual([disabled.code, disabled.stderr], [0, ""])
    strictEqual((await doctor(url, { SECRETS_KEY: newKey })).says, "2 webhooks, all encrypted with SECRETS_KEY")
    const rotated = await InProcess.run(InProcess.words("marketplace rotate-secret mandi --json"), {
      environment: { DATABASE_URL: url, SECRETS_KEY: newKey }
    })
    const { secret } = JSON.parse(rotated.stdout)
    assertTrue(/^whsec_/.test(secret))
    strictEqual(bytesOf(url).includes(secret), false)
  })

  for (const [kind, add, rotating] of [
    ["a marketplace", [], "marketplace rotate-secret mandi"],
    ["an endpoint", ["endpoint add 7 erp --url http://127.0.0.1/erp"], "endpoint rotate-secret 7 erp"]
  ] as const) {
    it(`of ${kind} whose key the command doesn't have are replaced only when they are said to be lost`, async () => {
      const url = await database(rotating.replaceAll(" ", "-"), { SECRETS_KEY: oldKey })
      const run = (line: string, keys: Readonly<Record<string, string>>) =>
        InProcess.run(InProcess.words(line), { environment: { DATABASE_URL: url, ...keys } })
      for (const line of add) strictEqual((await run(line, { SECRETS_KEY: oldKey })).code, 0)
      const before = bytesOf(url)
      for (const keys of [{}, { SECRETS_KEY: newKey }, { SECRETS_KEY: newKey, SECRETS_KEY_PREVIOUS: lostKey }]) {
        const { code, stderr, stdout } = await run(rotating, keys)
        deepStrictEqual([code, stdout], [1, ""])
        strictEqual(
          stderr.replace(/key [0-9a-f]{12}/, "key ID"),
          "The current secret is encrypted with key ID, which this host doesn't have, so nothing was changed. Set SECRETS_KEY or SECRETS_KEY_PREVIOUS to that key, as in the hosts. If it is lost, add --lost: the new secret then replaces it at once\n"
        )
      }
      strictEqual(bytesOf(url), before)
      const replaced = await run(`${rotating} --lost --json`, { SECRETS_KEY: newKey })
      deepStrictEqual([replaced.code, replaced.stderr], [0, ""])
      const { next, secret, stored } = JSON.parse(replaced.stdout)
      strictEqual(stored, "encrypted")
      assertTrue(/^whsec_/.test(secret))
      strictEqual(next?.startsWith("its authentication was encrypted too and is lost"), add.length === 0 || undefined)
      const again = await run(rotating, { SECRETS_KEY: newKey })
      deepStrictEqual([again.code, again.stderr, again.stdout.includes("stored")], [0, "", false])
      const plain = await run(`${rotating} --lost --json`, {})
      strictEqual(JSON.parse(plain.stdout).stored, "in plain, since SECRETS_KEY is not set")
      assertTrue(bytesOf(url).includes(JSON.parse(plain.stdout).secret))
    })
  }
})
