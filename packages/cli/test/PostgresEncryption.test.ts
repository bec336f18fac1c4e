import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as PostgresServer from "@crossdock/postgres/PostgresServer"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect } from "effect"
import { afterAll, beforeAll } from "vitest"
import * as TestCommand from "../../../lab/system-tests/test/TestCommand.ts"
import { temporaryFolder } from "../../http/test/TemporaryFolder.ts"
import * as Certificates from "../../storage-sql/test/Certificates.ts"
import type { Finding } from "../src/doctor/Finding.ts"
import * as ServerTool from "../src/ServerTool.ts"
import * as Settings from "../src/Settings.ts"
import * as InProcess from "./InProcess.ts"

describe("Commands on a PostgreSQL that accepts encrypted sessions alone", () => {
  const folder = temporaryFolder()
  const [ours, others] = [Certificates.authority(folder, "ours"), Certificates.authority(folder, "others")]
  let [server, url]: [PostgresServer.PostgresServer, string] = [] as never
  const verified = { PGSSLMODE: "verify-full", PGSSLROOTCERT: ours.certificate }

  beforeAll(async () => {
    server = await PostgresServer.start({ tls: { ...ours.sign("localhost"), authority: ours.certificate } })
    writeFileSync(join(server.data, "pg_hba.conf"), "hostssl all all 127.0.0.1/32 trust\n")
    await server.crash()
    url = server.url.replace("127.0.0.1", "localhost")
    const made = await InProcess.run(["migrate"], { environment: { DATABASE_URL: url, ...verified } })
    deepStrictEqual([made.code, made.stderr], [0, ""])
  })
  afterAll(() => server.stop())

  const encryptionOf = async (environment: Readonly<Record<string, string>>) => {
    const { stdout } = await InProcess.run(["doctor", "--json"], { environment })
    const found: ReadonlyArray<Finding> = JSON.parse(stdout)
    return found.filter(({ check }) => check === "database" || check === "encryption")
  }

  it("verify the server as PGSSLMODE and PGSSLROOTCERT say, and doctor shows the protocol", async () => {
    const [, encryption] = await encryptionOf({ DATABASE_URL: url, ...verified })
    deepStrictEqual([encryption?.state, encryption?.says], ["ok", "TLSv1.3"])
    const [rejected] = await encryptionOf({ DATABASE_URL: url, ...verified, PGSSLROOTCERT: others.certificate })
    strictEqual(rejected?.state, "fault")
    assertTrue(/certificate.*: correct the host, sslmode or sslrootcert in DATABASE_URL$/.test(rejected?.says ?? ""))
  })

  it("say which parameter is wrong, and what the server demands", async () => {
    for (const [environment, says] of [
      [{}, /no encryption\): set sslmode, sslcert and sslkey as the server demands in DATABASE_URL$/],
      [{ PGSSLMODE: "prefer" }, /^DATABASE_URL can't be used: sslmode=prefer lets a server/],
      [{ PGSSLMODE: "require", PGSSLCRL: "/x" }, /^DATABASE_URL can't be used: its parameter sslcrl is not known/]
    ] as const) {
      const [found] = await encryptionOf({ DATABASE_URL: url, ...environment })
      assertTrue(says.test(found?.says ?? ""), found?.says)
    }
  })

  it.effect("leave a parameter of the URL as it is, and take each other one from its variable", () =>
    Effect.gen(function* () {
      const read = yield* Settings.read({
        ...verified,
        DATABASE_URL: `${url}?sslmode=require`,
        DATABASE_POOLER_URL: url
      })
      const parametersOf = (text: string) => Object.fromEntries(new URL(text).searchParams)
      const sslrootcert = ours.certificate
      deepStrictEqual(parametersOf(read.databaseUrl), { sslmode: "require", sslrootcert })
      const pooler = read.databasePooler._tag === "Some" ? read.databasePooler.value : ""
      deepStrictEqual(parametersOf(pooler), { sslmode: "verify-full", sslrootcert })
    })
  )

  it("give pg_dump the same database and encryption", async () => {
    deepStrictEqual(
      ServerTool.addressOf(
        "postgres://a@h:1/x?host=/run/pg&port=2&dbname=d&user=u&password=p&sslmode=verify-ca&sslrootcert=/r&sslcert=/c&sslkey=/k&options=-c%20a%3Db"
      ),
      {
        PGHOST: "/run/pg",
        PGPORT: "2",
        PGDATABASE: "d",
        PGUSER: "u",
        PGPASSWORD: "p",
        PGSSLMODE: "verify-ca",
        PGSSLROOTCERT: "/r",
        PGSSLCERT: "/c",
        PGSSLKEY: "/k",
        PGOPTIONS: "-c a=b"
      }
    )
    strictEqual(ServerTool.addressOf("postgres://h/x?sslmode=verify-full").PGSSLROOTCERT, "system")
    // A script in place of pg_dump writes what it was given.
    const programs = join(folder, "programs")
    mkdirSync(programs)
    for (const name of ["pg_dump", "pg_restore"])
      writeFileSync(join(programs, name), `#!/bin/sh\necho "$PGSSLMODE $PGSSLROOTCERT" > ${folder}/seen\n`, {
        mode: 0o755
      })
    const copied = await TestCommand.crossdock(["backup", join(folder, "copy")], {
      DATABASE_URL: url,
      ...verified,
      PATH: `${programs}:${process.env.PATH}`
    })
    deepStrictEqual([copied.code, existsSync(join(folder, "seen"))], [0, true])
    strictEqual(readFileSync(join(folder, "seen"), "utf8"), `verify-full ${ours.certificate}\n`)
  })
})
