import type { Claims } from "@crossdock/access"
import { LinkSignerHmac, TokenCodecJose } from "@crossdock/crypto"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Redacted } from "effect"

const [first, second, third] = ["first", "second", "third"].map((name) =>
  Redacted.make(`${name}: a secret of more than thirty-two bytes`)
) as [Redacted.Redacted, Redacted.Redacted, Redacted.Redacted]

const now = 1_790_000_000_000
const claims: Claims = {
  audience: "seller",
  subject: "acme",
  id: "1",
  generation: 1,
  companyId: 1,
  issuedAt: now / 1000,
  expiresAt: now / 1000 + 86_400
}

describe("a secret that was changed", () => {
  it.effect("leaves tokens of the one before good, and none of any other", () =>
    Effect.gen(function* () {
      const [old, foreign] = [TokenCodecJose.make(first), TokenCodecJose.make(third)]
      const rotated = TokenCodecJose.make(second, [first])
      const verdict = (token: string, codec = rotated, at = now) =>
        codec.verify(token, "seller", at).pipe(
          Effect.map(({ subject }) => subject),
          Effect.catch(({ _tag }) => Effect.succeed(_tag))
        )
      const oldToken = yield* old.sign(claims)
      const newToken = yield* rotated.sign(claims)
      deepStrictEqual(
        yield* Effect.all([
          verdict(oldToken),
          verdict(newToken),
          verdict(yield* foreign.sign(claims)),
          verdict(oldToken, TokenCodecJose.make(second)),
          verdict(newToken, old),
          verdict(oldToken, rotated, now + 86_400_000),
          verdict(yield* old.sign({ ...claims, audience: "platform" }))
        ]),
        ["acme", "acme", "TokenInvalid", "TokenInvalid", "TokenInvalid", "TokenExpired", "TokenInvalid"]
      )
    })
  )

  it("leaves links of the one before good, and none of any other", () => {
    const rotated = LinkSignerHmac.make(second, [first])
    const matches = (signer: typeof rotated) => rotated.matches("label 7", signer.sign("label 7"))
    deepStrictEqual(
      [first, second, third].map((secret) => matches(LinkSignerHmac.make(secret))),
      [true, true, false]
    )
    strictEqual(rotated.sign("label 7"), LinkSignerHmac.make(second).sign("label 7"))
    strictEqual(rotated.matches("label 8", LinkSignerHmac.make(first).sign("label 7")), false)
  })
})
