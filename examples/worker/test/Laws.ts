/** Tests every law on the database of the runtime for which this program is bundled. It prints the laws that are broken. */
import { everyLaw } from "@crossdock/storage-laws/EveryLaw"
import * as Seed from "@crossdock/storage-laws/Seed"
import { StorageSql } from "@crossdock/storage-sql"
import { Cause, Effect, Exit, Layer } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"

export const show = (database: Layer.Layer<SqlClient>): Promise<void> =>
  Effect.runPromise(
    Effect.gen(function* () {
      let kept = 0
      for (const { port, sentence, shown } of everyLaw) {
        const exit = yield* Effect.exit(shown)
        if (Exit.isSuccess(exit)) kept += 1
        else console.log(`${port}: ${sentence}\n${Cause.pretty(exit.cause)}`)
      }
      console.log(`${kept} of ${everyLaw.length} laws kept`)
    }).pipe(Effect.provide(Layer.provideMerge(Seed.layer, Layer.provide(StorageSql.layer, database))))
  )
