import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as PostgresDatabase from "@crossdock/postgres/PostgresDatabase"
import type {} from "@crossdock/postgres/PostgresGlobalSetup"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Redacted, Scope } from "effect"
import { inject } from "vitest"
import * as Api from "../../../lab/system-tests/src/Api.ts"
import { settings, startHost } from "../../../lab/system-tests/test/TestHost.ts"
import { temporaryFolder } from "../../http/test/TemporaryFolder.ts"
import { line, order, shipmentOf } from "../../http/test/TestOrders.ts"
import * as Storage from "../src/Storage.ts"
import * as InProcess from "./InProcess.ts"

const marketplace = (databaseUrl: string, args: ReadonlyArray<string>, input?: string) =>
  InProcess.run(["marketplace", ...args, "--json"], { environment: { DATABASE_URL: databaseUrl }, input: input ?? "" })

const secrets = {
  password: "password-of-mandi",
  secret: `whsec_${Buffer.from("s".repeat(32)).toString("base64")}`,
  token: "token-of-mandi"
}

const registration = (more: object = {}) => ({
  slug: "mandi",
  name: "Mandi",
  currency: "INR",
  password: secrets.password,
  locations: [{ companyId: 1, location: "BLR1", code: "M-1" }],
  webhook: {
    url: "https://mandi.example/stock",
    secret: secrets.secret,
    authentication: { type: "bearer", token: secrets.token }
  },
  ...more
})

const secretsIn = ({ stderr, stdout }: InProcess.Ended) =>
  Object.values(secrets).filter((secret) => `${stdout}${stderr}`.includes(secret.replace("whsec_", "")))

const freshPostgres = () =>
  Effect.map(PostgresDatabase.make(inject("postgres")), Redacted.value).pipe(
    Scope.provide(Effect.runSync(Scope.make())),
    Effect.runPromise
  )

describe("The marketplace commands", () => {
  const folder = temporaryFolder()
  let databases = 0
  const databaseUrl = async () => {
    const url = `sqlite:${join(folder, `marketplaces-${databases++}.db`)}`
    await Effect.runPromise(Storage.migrate(url))
    return url
  }

  for (const [name, address] of [
    ["SQLite file", databaseUrl],
    ["PostgreSQL database", freshPostgres]
  ] as const) {
    it(`registers a marketplace on the ${name} of a running host; the marketplace can sign in and order at once`, async () => {
      const url = await address()
      const host = await startHost(settings({ databaseUrl: url }))
      const file = join(folder, "mandi.json")
      writeFileSync(file, JSON.stringify(registration()))
      const registered = await marketplace(url, ["add", file])
      strictEqual(registered.code, 0, registered.stderr)
      deepStrictEqual(JSON.parse(registered.stdout), {
        slug: "mandi",
        name: "Mandi",
        currency: "INR",
        locations: [{ companyId: 1, location: "BLR1", code: "M-1" }],
        skus: null,
        buffers: [],
        retiredCodes: [],
        webhook: { url: "https://mandi.example/stock" }
      })
      const acme = await Api.seller(host.url)
      await acme.call("PUT", "/ims/v3/inventory", [{ location_id: "BLR1", sku: "85123A", quantity: 5 }])
      const mandi = await Api.signedIn(host.url, "/auth/mandi/token", "mandi", secrets.password)
      const place = async (location_id: string) => {
        const body = order([shipmentOf([line("85123A")], { location_id })])
        return (await mandi.call<{ code?: string }>("POST", "/order/api/v1/mandi/create", body)).body.code ?? "taken"
      }
      deepStrictEqual([await place("M-1"), await place("BLR1")], ["taken", "UNKNOWN_LOCATION"])

      // The same again from standard input, without the unchanged fields and with one more location.
      const { password: _, ...kept } = registration({
        locations: [
          { companyId: 1, location: "BLR1", code: "M-1" },
          { companyId: 2, location: "DEL1", code: "M-2" }
        ],
        webhook: { url: "https://mandi.example/stock" }
      })
      const changed = await marketplace(url, ["add", "-"], JSON.stringify(kept))
      strictEqual(changed.code, 0, changed.stderr)
      const [status, list] = [await marketplace(url, ["status", "mandi"]), await marketplace(url, ["list"])]
      deepStrictEqual(
        JSON.parse(status.stdout).map(({ companyId }: { companyId: number }) => companyId),
        [1, 2]
      )
      strictEqual(JSON.parse(list.stdout).length, 3)
      await Api.signedIn(host.url, "/auth/mandi/token", "mandi", secrets.password).then((api) => api.close())
      for (const ended of [registered, changed, status, list]) deepStrictEqual(secretsIn(ended), [])
      acme.close()
      mandi.close()
      await host.stop()
    })
  }

  it("reports every violation in a registration with its path, without showing values", async () => {
    const url = await databaseUrl()
    const shape = await marketplace(
      url,
      ["add", "-"],
      JSON.stringify({
        ...registration({ password: [secrets.password], buffer: [] }),
        locations: [{ companyId: "1", location: "BLR1" }],
        webhook: { url: "https://mandi.example", secret: secrets.secret, authentication: { type: "bearer", key: "k" } }
      })
    )
    deepStrictEqual(
      [shape.code, shape.stdout, shape.stderr.trim().split("\n").toSorted()],
      [
        1,
        "",
        [
          "/buffer: is not a field of a registration",
          "/locations/0/code: is missing",
          "/locations/0/companyId: Expected number",
          "/password: Expected string | null",
          "/webhook/authentication/key: is not a field of a registration",
          "/webhook/authentication/token: is missing"
        ]
      ]
    )
    const values = await marketplace(
      url,
      ["add", "-"],
      JSON.stringify(registration({ slug: "Not A Slug", currency: "XXY", password: "short" }))
    )
    deepStrictEqual(
      [
        values.code,
        values.stderr
          .trim()
          .split("\n")
          .map((one) => one.split(":")[0])
      ],
      [1, ["/slug", "/currency", "/password", "/locations/0/location"]]
    )
    const noJson = await marketplace(url, ["add", "-"], `{"password": "${secrets.password}" oh}`)
    deepStrictEqual([noJson.code, noJson.stderr], [1, "The file is not valid JSON\n"])
    for (const ended of [shape, values, noJson]) deepStrictEqual(secretsIn(ended), [])
    deepStrictEqual(JSON.parse((await marketplace(url, ["list"])).stdout), [])
  })

  it("exits with a reason for an unknown command, file, marketplace or dead letter", async () => {
    const url = await databaseUrl()
    for (const [args, says, exit] of [
      [["no-such-command"], 'Unknown subcommand "no-such-command"', 2],
      [["add"], "Missing required argument: file", 2],
      [["add", join(folder, "none.json")], "can't be read", 1],
      [["status", "nobody"], 'There is no marketplace "nobody"', 1],
      [["wake"], "Missing required argument: slug", 2],
      [["reconcile", "nobody"], "There is no marketplace", 1],
      [["disable", "nobody"], "There is no marketplace", 1],
      [["set-password", "nobody", "--generate"], "There is no marketplace", 1],
      [["dead-letters", "nobody"], "There is no marketplace", 1],
      [["resend", "nobody", "1", "x"], "There is no marketplace", 1]
    ] as const) {
      const { code, stderr, stdout } = await marketplace(url, args)
      deepStrictEqual([code, stdout], [exit, ""])
      assertTrue(stderr.includes(says) && !/\n\s+at /.test(stderr), `${args}: ${stderr}`)
    }
  })

  it("rejects to reconcile a marketplace without a webhook, to which nothing is sent", async () => {
    const url = await databaseUrl()
    const silent = JSON.stringify(registration({ locations: [], webhook: null }))
    strictEqual((await marketplace(url, ["add", "-"], silent)).code, 0)
    const { code, stderr } = await marketplace(url, ["reconcile", "mandi"])
    deepStrictEqual([code, stderr], [1, "mandi has no webhook, so nothing can be sent to it\n"])
  })

  it("rejects a resend of a dead letter that isn't there, and says why", async () => {
    const url = await databaseUrl()
    strictEqual((await marketplace(url, ["add", "-"], JSON.stringify(registration({ locations: [] })))).code, 0)
    for (const company of ["1", "2"]) {
      const { code, stderr } = await marketplace(url, ["resend", "mandi", company, "msg_1"])
      strictEqual(code, 1)
      assertTrue(stderr.startsWith("There is no dead letter msg_1 of company") && !/\n\s+at /.test(stderr), stderr)
    }
  })
})
