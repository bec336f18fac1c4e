/**
 * Adapter: failed sign-ins.
 */

import { SignInAttempts } from "@crossdock/access"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { named, rowsOf, texts } from "../Database.ts"
import * as Dialect from "../Dialect.ts"

const columns = { subject: "text", at: "integer" } as const

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return SignInAttempts.SignInAttempts.of({
    failures: (keys, since) =>
      sql<{ key: string; at: number }>`
        SELECT subject AS key, at FROM crossdock_sign_in_failures
        WHERE ${Dialect.isTextOf(sql, "subject", texts(sql, keys))} AND at > ${since}`.pipe(
        named("SignInAttempts.failures")
      ),
    add: (keys, at, forgetBefore) =>
      Effect.gen(function* () {
        yield* sql`DELETE FROM crossdock_sign_in_failures WHERE at < ${forgetBefore}`
        yield* sql`INSERT INTO crossdock_sign_in_failures (subject, at)
                   SELECT r.subject, r.at FROM ${rowsOf(sql, columns, keys, (key) => [key, at])} r`
      }).pipe(named("SignInAttempts.add"))
  })
})

export const layer: Layer.Layer<SignInAttempts.SignInAttempts, never, SqlClient.SqlClient> = Layer.effect(
  SignInAttempts.SignInAttempts,
  make
)
