import { Idempotency, Transaction } from "@crossdock/kernel"
import { assertFalse, assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import * as Effect from "effect/Effect"
import { exactlyOne, times } from "./ConcurrentWriters.ts"
import * as Fresh from "./Fresh.ts"
import { about, inTransaction, type Laws, outcome, waysToWrite } from "./Laws.ts"

const freshKey = Effect.map(
  Fresh.text("key"),
  (key): Idempotency.IdempotencyKey => ({ principal: "integration:अ", method: "POST", path: "/a/b?c", key })
)

/** The claim of a key, with times in 1970, so that deleting expired claims spares newer data. */
const claim = (owner: string): Idempotency.IdempotencyRecord => ({
  fingerprint: "print",
  owner,
  claimedUntil: 12_000,
  expiresAt: 90_000,
  answer: null
})

const answered = (owner: string): Idempotency.IdempotencyRecord => ({
  ...claim(owner),
  answer: { status: 200, contentType: "application/json", body: '{"name":"कुर्ता 😀"}' }
})

export const idempotencyLaws = (laws: Laws<Idempotency.Idempotency | Transaction.Transaction>): void => {
  const { concurrent, law } = about(Idempotency.Idempotency, laws, Effect.all([freshKey, freshKey]))
  law("a claim is read back equal, and so is the answer that its owner puts in its place", function* (store, [key]) {
    assertTrue(yield* store.put(key, claim("a"), undefined))
    deepStrictEqual(yield* store.find(key), claim("a"))
    assertTrue(yield* store.put(key, answered("a"), claim("a")))
    deepStrictEqual(yield* store.find(key), answered("a"))
  })

  law("keys with parts of 2,000 characters that differ in the last are each used once", function* (store) {
    const [text, other] = yield* Fresh.longTexts
    const key = { principal: text, method: "POST", path: text, key: text }
    const all = [key, { ...key, principal: other }, { ...key, path: other }, { ...key, key: other }]
    for (const [i, one] of all.entries()) {
      strictEqual(yield* store.find(one), undefined)
      assertTrue(yield* store.put(one, claim(`${i}`), undefined))
      assertFalse(yield* store.put(one, claim("late"), undefined))
    }
    yield* store.put(key, answered("0"), claim("0"))
    yield* store.remove({ ...key, path: other }, "2")
    deepStrictEqual(yield* Effect.forEach(all, store.find), [answered("0"), claim("1"), undefined, claim("3")])
  })

  law("each part of the key counts", function* (store, [key]) {
    yield* store.put(key, claim("a"), undefined)
    const others = [
      { ...key, principal: "other" },
      { ...key, method: "PUT" },
      { ...key, path: "/a" },
      { ...key, key: key.key.toUpperCase() }
    ]
    for (const other of others) strictEqual(yield* store.find(other), undefined)
    yield* Effect.forEach(others, (other) => store.remove(other, "a"))
    deepStrictEqual(yield* store.find(key), claim("a"))
  })

  law("a lapsed claim is taken over from the seen owner, whose answer is then rejected", function* (store, [key]) {
    yield* store.put(key, claim("a"), undefined)
    assertFalse(yield* store.put(key, claim("b"), undefined))
    deepStrictEqual(yield* store.find(key), claim("a"))
    assertTrue(yield* store.put(key, claim("b"), claim("a")))
    assertFalse(yield* store.put(key, answered("a"), claim("a")))
    deepStrictEqual(yield* store.find(key), claim("b"))
  })

  law("an answer that ends a unit needs its claim, or nothing of the unit remains", function* (store, [key, other]) {
    yield* store.put(key, claim("a"), undefined)
    for (const written of waysToWrite) {
      for (const lost of [claim("b"), answered("a"), { ...claim("a"), claimedUntil: 30_000 }]) {
        const answer = Transaction.write(store.answer(key, answered("b"), lost))
        const unit = inTransaction(written(Effect.andThen(store.put(other, claim("c"), undefined), answer)))
        strictEqual(yield* outcome(unit), "StaleWrite")
        deepStrictEqual([yield* store.find(key), yield* store.find(other)], [claim("a"), undefined])
      }
    }
    yield* inTransaction(Transaction.writes(Transaction.write(store.answer(key, answered("a"), claim("a")))))
    deepStrictEqual(yield* store.find(key), answered("a"))
  })

  law("a lapsed claim isn't taken over after its owner's answer or next claim", function* (store, [key]) {
    yield* store.put(key, claim("a"), undefined)
    assertTrue(yield* store.put(key, { ...claim("a"), claimedUntil: 30_000 }, claim("a")))
    assertFalse(yield* store.put(key, claim("b"), claim("a")))
    assertTrue(yield* store.put(key, answered("a"), { ...claim("a"), claimedUntil: 30_000 }))
    assertFalse(yield* store.put(key, claim("b"), claim("a")))
    deepStrictEqual(yield* store.find(key), answered("a"))
    assertTrue(yield* store.put(key, claim("b"), answered("a")))
    deepStrictEqual(yield* store.find(key), claim("b"))
  })

  law("a key that was never used has nothing, which can't be taken over", function* (store, [key]) {
    strictEqual(yield* store.find(key), undefined)
    assertFalse(yield* store.put(key, claim("b"), claim("a")))
    strictEqual(yield* store.find(key), undefined)
  })

  concurrent("of several who claim or take over a key at once exactly one wins, and is kept", function* (store) {
    for (const expected of [undefined, claim("dead")]) {
      const key = yield* freshKey
      if (expected !== undefined) yield* store.put(key, expected, undefined)
      const won = yield* times(20, (i) => store.put(key, claim(`owner ${i}`), expected))
      strictEqual((yield* store.find(key))?.owner, `owner ${exactlyOne(won)}`)
    }
  })

  law("only its owner removes a key, which can be claimed again, and no answer", function* (store, [key]) {
    yield* store.put(key, claim("a"), undefined)
    yield* store.remove(key, "b")
    deepStrictEqual(yield* store.find(key), claim("a"))
    yield* store.remove(key, "a")
    strictEqual(yield* store.find(key), undefined)
    assertTrue(yield* store.put(key, claim("b"), undefined))
    assertTrue(yield* store.put(key, answered("b"), claim("b")))
    yield* store.remove(key, "b")
    deepStrictEqual(yield* store.find(key), answered("b"))
  })

  law("what expired before a time is deleted in batches, the oldest first, and nothing else", function* (store) {
    const keys = yield* Effect.replicateEffect(freshKey, 6)
    for (const [nth, key] of keys.entries()) yield* store.put(key, { ...answered("a"), expiresAt: 10 + nth }, undefined)
    const left = Effect.map(Effect.forEach(keys, store.find), (found) => found.flatMap((one) => one?.expiresAt ?? []))
    for (const [deleted, kept] of [
      [3, [13, 14, 15]],
      [2, [15]],
      [0, [15]]
    ]) {
      strictEqual(yield* store.deleteExpired(15, 3), deleted)
      deepStrictEqual(yield* left, kept)
    }
    strictEqual(yield* store.deleteExpired(16, 3), 1)
  })
}
