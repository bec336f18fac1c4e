import { Idempotency, Transaction } from "@crossdock/kernel"
import { assertFalse, assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import * as Effect from "effect/Effect"
import { times } from "./ConcurrentWriters.ts"
import * as Fresh from "./Fresh.ts"
import { about, inTransaction, type Laws, outcome, waysToWrite } from "./Laws.ts"

const freshKey = Effect.map(
  Fresh.text("key"),
  (key): Idempotency.IdempotencyKey => ({ principal: "integration:अ", method: "POST", path: "/a/b?c", key })
)

/** Times are in 1970, so deletes spare other data, which is newer. */
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
  const { concurrent, law } = about(Idempotency.Idempotency, laws, freshKey)
  law("a key that was never used has nothing", function* (store) {
    strictEqual(yield* store.find(yield* freshKey), undefined)
  })

  law("a claim is read back equal, and so is the answer that its owner puts in its place", function* (store, key) {
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

  law("each part of the key counts", function* (store, key) {
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

  law("a claim is rejected where something is kept, and changes nothing", function* (store, key) {
    yield* store.put(key, claim("a"), undefined)
    assertFalse(yield* store.put(key, claim("b"), undefined))
    deepStrictEqual(yield* store.find(key), claim("a"))
  })

  law("a lapsed claim is taken over from the seen owner, whose answer is then rejected", function* (store, key) {
    yield* store.put(key, claim("a"), undefined)
    assertTrue(yield* store.put(key, claim("b"), claim("a")))
    assertFalse(yield* store.put(key, answered("a"), claim("a")))
    deepStrictEqual(yield* store.find(key), claim("b"))
  })

  law("an answer at the end of a unit needs its claim; without it nothing of the unit remains", function* (store) {
    const [key, other] = [yield* freshKey, yield* freshKey]
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

  law("a lapsed claim isn't taken over after its owner's answer or next claim", function* (store, key) {
    yield* store.put(key, claim("a"), undefined)
    assertTrue(yield* store.put(key, { ...claim("a"), claimedUntil: 30_000 }, claim("a")))
    assertFalse(yield* store.put(key, claim("b"), claim("a")))
    assertTrue(yield* store.put(key, answered("a"), { ...claim("a"), claimedUntil: 30_000 }))
    assertFalse(yield* store.put(key, claim("b"), claim("a")))
    deepStrictEqual(yield* store.find(key), answered("a"))
  })

  law("an answer is replaced by who saw that answer", function* (store, key) {
    yield* store.put(key, answered("a"), undefined)
    assertTrue(yield* store.put(key, claim("b"), answered("a")))
    deepStrictEqual(yield* store.find(key), claim("b"))
  })

  law("a missing record can't be taken over", function* (store, key) {
    assertFalse(yield* store.put(key, claim("b"), claim("a")))
    strictEqual(yield* store.find(key), undefined)
  })

  concurrent("of several claims at once exactly one wins, and it is the one that is kept", function* (store, key) {
    const won = yield* times(20, (i) => store.put(key, claim(`owner ${i}`), undefined))
    strictEqual(won.filter((one) => one).length, 1)
    strictEqual((yield* store.find(key))?.owner, `owner ${won.indexOf(true)}`)
  })

  concurrent("of several who take a claim over at once exactly one wins", function* (store, key) {
    yield* store.put(key, claim("dead"), undefined)
    const won = yield* times(20, (i) => store.put(key, claim(`owner ${i}`), claim("dead")))
    strictEqual(won.filter((one) => one).length, 1)
    strictEqual((yield* store.find(key))?.owner, `owner ${won.indexOf(true)}`)
  })

  law("only its owner removes a key; then it can be claimed again", function* (store, key) {
    yield* store.put(key, claim("a"), undefined)
    yield* store.remove(key, "b")
    deepStrictEqual(yield* store.find(key), claim("a"))
    yield* store.remove(key, "a")
    strictEqual(yield* store.find(key), undefined)
    assertTrue(yield* store.put(key, claim("b"), undefined))
  })

  law("an answer is not removed by the attempt that put it", function* (store, key) {
    yield* store.put(key, answered("a"), undefined)
    yield* store.remove(key, "a")
    deepStrictEqual(yield* store.find(key), answered("a"))
  })

  law("what expired is deleted in batches, the oldest first", function* (store) {
    const keys = yield* Effect.replicateEffect(freshKey, 5)
    for (const [nth, key] of keys.entries()) yield* store.put(key, { ...answered("a"), expiresAt: 10 + nth }, undefined)
    strictEqual(yield* store.deleteExpired(100, 3), 3)
    const left = yield* Effect.forEach(keys, store.find)
    const expiries = left.flatMap((one) => (one === undefined ? [] : [one.expiresAt]))
    deepStrictEqual(expiries, [13, 14])
    deepStrictEqual([yield* store.deleteExpired(100, 3), yield* store.deleteExpired(100, 3)], [2, 0])
  })

  law("what expired before the given time is deleted, and nothing else", function* (store) {
    const [old, still] = [yield* freshKey, yield* freshKey]
    yield* store.put(old, { ...answered("a"), expiresAt: 499 }, undefined)
    yield* store.put(still, { ...answered("a"), expiresAt: 500 }, undefined)
    strictEqual(yield* store.deleteExpired(500, 100), 1)
    strictEqual(yield* store.find(old), undefined)
    strictEqual((yield* store.find(still))?.expiresAt, 500)
  })
}
