import { spawnSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as PostgresServer from "@crossdock/postgres/PostgresServer"
import * as Postgres from "@crossdock/storage-sql/Postgres"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Redacted, Result } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { afterAll, beforeAll } from "vitest"
import { temporaryFolder } from "../../http/test/TemporaryFolder.ts"
import * as Certificates from "./Certificates.ts"

/** Whether the server says that a session on `url` is encrypted, or why it could not be made. */
const session = (url: string): Promise<string> =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ ssl: boolean }>`SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()`
  ).pipe(
    Effect.provide(Postgres.layer(Redacted.make(url), { maxConnections: 1 })),
    Effect.result,
    Effect.map(
      Result.match({
        onSuccess: ([row]) => (row?.ssl === true ? "encrypted" : "plain"),
        onFailure: ({ reason }) => `none: ${reason.cause instanceof Error ? reason.cause.message : reason.message}`
      })
    ),
    Effect.runPromise
  )

const kind = (said: string) => said.split(":")[0]

const hasPsql = spawnSync("psql", ["--version"]).status === 0

/** What psql does with the same address. */
const psql = (url: string): string => {
  const text = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()"
  const { status, stdout } = spawnSync("psql", ["-X", "-A", "-t", "-c", text, url], { encoding: "utf8" })
  if (status !== 0) return "none"
  return stdout.trim() === "t" ? "encrypted" : "plain"
}

describe("A connection to PostgreSQL", () => {
  const folder = temporaryFolder()
  const [ours, others] = [Certificates.authority(folder, "ours"), Certificates.authority(folder, "others")]
  const client = ours.sign("postgres")
  let [encrypting, plain]: [PostgresServer.PostgresServer, PostgresServer.PostgresServer] = [] as never
  const urlOf = (server: PostgresServer.PostgresServer, host: string, parameters: Readonly<Record<string, string>>) => {
    const url = new URL(server.url)
    url.hostname = host
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
    return url.href
  }

  beforeAll(async () => {
    encrypting = await PostgresServer.start({ tls: { ...ours.sign("localhost"), authority: ours.certificate } })
    plain = await PostgresServer.start()
  })
  afterAll(() => Promise.all([encrypting.stop(), plain.stop()]))

  const roots = {
    none: undefined,
    ours: ours.certificate,
    others: others.certificate,
    missing: join(folder, "missing")
  }
  const cases = (["", "disable", "require", "verify-ca", "verify-full"] as const).flatMap((mode) =>
    (["none", "ours", "others", "missing"] as const).flatMap((root) =>
      (["localhost", "127.0.0.1"] as const).flatMap((host) =>
        (["encrypting", "plain"] as const).map((server) => ({ mode, root, host, server }))
      )
    )
  )
  const expected = ({ host, mode, root, server }: (typeof cases)[number]): string => {
    if (mode === "") return root === "none" ? "plain" : "none"
    if (mode === "disable") return "plain"
    if (server === "plain" || root === "missing" || root === "others") return "none"
    if (root === "none") return mode === "require" ? "encrypted" : "none"
    return mode === "verify-full" && host !== "localhost" ? "none" : "encrypted"
  }
  const addressOf = ({ host, mode, root, server }: (typeof cases)[number]) => {
    const [sslmode, sslrootcert] = [mode === "" ? {} : { sslmode: mode }, roots[root]]
    const parameters = { ...sslmode, ...(sslrootcert === undefined ? {} : { sslrootcert }) }
    return urlOf(server === "plain" ? plain : encrypting, host, parameters)
  }

  it("is encrypted, and verifies the server, as sslmode and sslrootcert say, or is not made", async () => {
    const found = await Promise.all(cases.map(async (one) => ({ ...one, is: kind(await session(addressOf(one))) })))
    deepStrictEqual(
      found,
      cases.map((one) => ({ ...one, is: expected(one) }))
    )
  })

  it.skipIf(!hasPsql)("does as psql does with the same address, which takes a missing sslrootcert for none", () => {
    const comparable = cases.filter(({ mode, root }) => mode !== "" && !(mode === "require" && root === "missing"))
    deepStrictEqual(
      comparable.map((one) => ({ ...one, is: psql(addressOf(one)) })),
      comparable.map((one) => ({ ...one, is: expected(one) }))
    )
  })

  it("shows the server the certificate of sslcert and sslkey", async () => {
    const rules = join(encrypting.data, "pg_hba.conf")
    writeFileSync(rules, `hostssl all all 127.0.0.1/32 trust clientcert=verify-ca\n`)
    try {
      await encrypting.crash()
      const verified = { sslmode: "verify-full", sslrootcert: ours.certificate }
      const certified = { ...verified, sslcert: client.certificate, sslkey: client.key }
      strictEqual(await session(urlOf(encrypting, "localhost", certified)), "encrypted")
      strictEqual(kind(await session(urlOf(encrypting, "localhost", verified))), "none")
      const foreign = others.sign("postgres")
      const rejected = { ...verified, sslcert: foreign.certificate, sslkey: foreign.key }
      strictEqual(kind(await session(urlOf(encrypting, "localhost", rejected))), "none")
    } finally {
      writeFileSync(rules, "host all all 127.0.0.1/32 trust\n")
      await encrypting.crash()
    }
  })

  it("isn't made when its address has a parameter that can't be honoured, and the reason names it", async () => {
    writeFileSync(join(folder, "text.pem"), "not a certificate")
    for (const [parameters, why] of [
      [{ sslmode: "prefer" }, "sslmode=prefer lets a server"],
      [{ sslmode: "allow" }, "sslmode=allow lets a server"],
      [{ sslmode: "verify_full" }, "sslmode must be disable, require, verify-ca or verify-full"],
      [{ sslmode: "verify-full", sslrootcrt: "x" }, "its parameter sslrootcrt is not known: did you mean sslrootcert?"],
      [{ sslmode: "require", channel_binding: "require" }, "its parameter channel_binding is not known: leave it out"],
      [{ sslmode: "require", sslcert: client.certificate }, "sslcert and sslkey need each other"],
      [{ sslmode: "verify-ca" }, "sslmode=verify-ca needs sslrootcert"],
      [{ sslmode: "require", sslrootcert: "system" }, "sslrootcert=system needs sslmode=verify-full"],
      [{ sslrootcert: ours.certificate }, "sslrootcert, sslcert and sslkey need an sslmode"],
      [
        { sslmode: "verify-full", sslrootcert: roots.missing },
        `the file ${roots.missing} of sslrootcert can't be read`
      ],
      [
        { sslmode: "require", sslcert: join(folder, "text.pem"), sslkey: client.key },
        "sslrootcert, sslcert or sslkey is no certificate or key of PEM"
      ]
    ] as const) {
      const said = await session(urlOf(encrypting, "localhost", parameters))
      assertTrue(said.startsWith(`none: ${why}`), said)
    }
  })

  it("is not made to a server whose certificate was replaced by another authority's", async () => {
    const verified = { sslmode: "verify-full", sslrootcert: ours.certificate }
    strictEqual(await session(urlOf(encrypting, "localhost", verified)), "encrypted")
    const forged = others.sign("localhost")
    for (const [file, path] of [
      ["certificate.pem", forged.certificate],
      ["key.pem", forged.key]
    ] as const)
      writeFileSync(join(encrypting.data, file), readFileSync(path))
    await encrypting.crash()
    strictEqual(kind(await session(urlOf(encrypting, "localhost", verified))), "none")
  })
})
