/** The laws of storages on tables that Citus distributes, where it is installed: `npm run lab -- citus`. */
import { readFileSync } from "node:fs"
import * as Seed from "@crossdock/storage-laws"
import { everyLaw } from "@crossdock/storage-laws/EveryLaw"
import { Distribution, Migrations, StorageSql } from "@crossdock/storage-sql"
import * as Postgres from "@crossdock/storage-sql/Postgres"
import { describe, it, layer } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { Effect, Exit, Layer, Redacted } from "effect"
import * as CitusServers from "../src/CitusServers.ts"

/** The laws that can't be kept there, by port, and why. */
const broken: Readonly<Record<string, string>> = {
  "ShipmentStore: an id is used once: a second insert is stale and leaves nothing, whose ever the first is":
    "a unique index contains the company, so only random ids keep shipments of two companies apart",
  "ShipmentStore: of many who insert one id at once exactly one wins, the others are stale":
    "the same, of several companies at once",
  "ShipmentStore: inside a transaction totals count its writes so far, whenever they are read":
    "SET CONSTRAINTS doesn't reach the workers, so counts follow at the commit",
  "EventEndpointStore: of several who change a locked page each reads what those before it wrote":
    "rows of several workers can't be locked by one query, so all but one of several `rotate-secret` at once fail"
}

const distributed = Layer.unwrap(
  Effect.map(Effect.orDie(CitusServers.make(2)), ({ url }) => Layer.orDie(Postgres.layer(Redacted.make(url))))
)

const placed = Layer.effectDiscard(
  Effect.andThen(Effect.scoped(Layer.build(Migrations.layer)), Distribution.distribute)
)

const storage = Seed.Seed.layer.pipe(
  Layer.provideMerge(StorageSql.layer),
  Layer.provide(placed),
  Layer.provide(distributed)
)

const guide = readFileSync(new URL("../../../docs/guides/growing.md", import.meta.url), "utf8")

describe("Tables that Citus distributes by company", () => {
  it("have the exceptions that the guide lists", () => {
    const lines = Object.entries(broken).map(([law, why]) => `| ${law} | ${why} |`)
    deepStrictEqual(
      lines.filter((line) => !guide.includes(line)),
      []
    )
  })
})

if (CitusServers.installed === undefined) describe.skip(CitusServers.missing, () => it("is not tried", () => {}))
else
  layer(storage, { timeout: "2 minutes", excludeTestServices: true })("Storage laws: Citus with two workers", (it) => {
    for (const { port, sentence, shown } of everyLaw) {
      const law = `${port}: ${sentence}`
      it.effect(law, () =>
        law in broken ? Effect.map(Effect.exit(shown), (exit) => deepStrictEqual(Exit.isFailure(exit), true)) : shown
      )
    }
  })
