import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import {
  Access,
  type Account,
  Directory,
  PasswordHash,
  type Principal,
  SignInAttempts,
  TokenCodec,
  TokenInvalid
} from "@crossdock/access"
import { TokenCodecJose } from "@crossdock/crypto"
import { CompanyId, Ids } from "@crossdock/kernel"
import { StorageMemory } from "@crossdock/storage-memory"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Clock, Effect, Fiber, Latch, Layer, Redacted, Ref } from "effect"
import { TestClock } from "effect/testing"

/** As slow as a test can bear; the real one is in crypto. */
const plain = Layer.succeed(
  PasswordHash,
  PasswordHash.of({
    hash: (password) => Effect.succeed(`hashed ${password}`),
    verify: (password, hash) => Effect.succeed(hash === `hashed ${password}`)
  })
)

const secret = Redacted.make("a secret of more than thirty-two bytes")

const services = (sandbox = true, passwords = plain, tokens = TokenCodecJose.layer(secret)) =>
  Access.layer({ sandbox }).pipe(Layer.provideMerge(StorageMemory.layer), Layer.provide([passwords, tokens, Ids.layer]))

const acme: Principal = {
  kind: "integration",
  id: "acme",
  integrationId: "1",
  companyId: CompanyId.make(1),
  locations: null,
  stockPolicy: "set"
}

const account = (more: Partial<Account> = {}): Account => ({
  username: "acme",
  passwordHash: "hashed right",
  enabled: true,
  generation: 1,
  sandbox: true,
  principal: acme,
  ...more
})

const put = (more?: Partial<Account>) =>
  Effect.flatMap(Directory, (directory) => directory.putAccounts([account(more)]))

const signIn = (password: string, username = "acme", peer = "1.2.3.4") =>
  Effect.flatMap(Access.Access, (access) => access.signIn({ kind: "integration", username, password, peer }))

const tagOf = <A, R>(effect: Effect.Effect<A, { readonly _tag: string }, R>) =>
  Effect.match(effect, { onFailure: ({ _tag }) => _tag, onSuccess: () => "in" })

describe("Signing in", () => {
  it.effect("gives a token that says who is calling", () =>
    Effect.gen(function* () {
      yield* put()
      const access = yield* Access.Access
      const { token } = yield* signIn("right")
      deepStrictEqual(yield* access.authenticate("integration", token), acme)
      strictEqual(yield* tagOf(access.authenticate("marketplace", token)), "TokenInvalid")
    }).pipe(Effect.provide(services()))
  )

  it.effect("gives the same answer for a wrong password and an unknown name", () =>
    Effect.gen(function* () {
      yield* put()
      strictEqual(yield* tagOf(signIn("wrong")), "CredentialsInvalid")
      strictEqual(yield* tagOf(signIn("right", "nobody")), "CredentialsInvalid")
    }).pipe(Effect.provide(services()))
  )

  const wrong = "verify hashed right"
  for (const [where, sandbox, own, expected] of [
    ["without a sandbox", false, [], ["hash wrong", wrong]],
    ["in a sandbox alone, whose hashes are quick", true, [], [wrong, wrong]],
    ["in a sandbox beside own accounts", true, [account({ username: "own", sandbox: false })], ["hash wrong", wrong]]
  ] as const)
    it.effect(`an unknown name takes the work of a wrong password ${where}`, () => {
      const done: Array<string> = []
      const passwords = PasswordHash.of({
        hash: (password) => Effect.sync(() => `${done.push(`hash ${password}`)}`),
        verify: (_, hash) => Effect.sync(() => done.push(`verify ${hash}`) < 0)
      })
      return Effect.gen(function* () {
        yield* put()
        yield* (yield* Directory).putAccounts(own)
        strictEqual(yield* tagOf(signIn("wrong", "nobody")), "CredentialsInvalid")
        strictEqual(yield* tagOf(signIn("wrong")), "CredentialsInvalid")
        deepStrictEqual(done, [...expected])
      }).pipe(Effect.provide(services(sandbox, Layer.succeed(PasswordHash, passwords))))
    })

  it.effect("rejects a disabled account and, without the sandbox, a sandbox account", () =>
    Effect.gen(function* () {
      yield* put({ enabled: false })
      strictEqual(yield* tagOf(signIn("right")), "CredentialsInvalid")
      yield* put()
      strictEqual(yield* tagOf(signIn("right")), "CredentialsInvalid")
    }).pipe(Effect.provide(services(false)))
  )

  it.effect(
    "blocks a username after ten failures in a minute, also for the right password, until the minute is over",
    () =>
      Effect.gen(function* () {
        yield* put()
        for (let failure = 0; failure < 10; failure++) {
          strictEqual(yield* tagOf(signIn("wrong", "acme", `peer-${failure}`)), "CredentialsInvalid")
        }
        strictEqual(yield* tagOf(signIn("right", "acme", "another")), "TooManyAttempts")
        yield* TestClock.adjust("59 seconds")
        strictEqual(yield* tagOf(signIn("right", "acme", "another")), "TooManyAttempts")
        yield* TestClock.adjust("1 second")
        strictEqual(yield* tagOf(signIn("right", "acme", "another")), "in")
      }).pipe(Effect.provide(services()))
  )

  it.effect("blocks an address after ten failures, and no other address", () =>
    Effect.gen(function* () {
      yield* put()
      for (let failure = 0; failure < 10; failure++) yield* tagOf(signIn("wrong", `name-${failure}`))
      strictEqual(yield* tagOf(signIn("right")), "TooManyAttempts")
      strictEqual(yield* tagOf(signIn("right", "acme", "5.6.7.8")), "in")
    }).pipe(Effect.provide(services()))
  )
})

/** Hashes and verifications that each wait for a call of `open`, and their number. */
const slow = Effect.gen(function* () {
  const gate = yield* Latch.make()
  const verified = yield* Ref.make(0)
  const counted = Effect.andThen(
    gate.await,
    Ref.update(verified, (count) => count + 1)
  ).pipe(Effect.andThen(Effect.yieldNow))
  const hashes = PasswordHash.of({
    hash: (password) => Effect.as(counted, `hashed ${password}`),
    verify: (password, hash) => Effect.as(counted, hash === `hashed ${password}`)
  })
  return { gate, verified, layer: services(true, Layer.succeed(PasswordHash, hashes)) }
})

describe("Signing in many times at once", () => {
  const atOnce = (count: number, password: string) =>
    Effect.forEach(
      Array.from({ length: count }, (_, nth) => nth),
      () => Effect.forkChild(tagOf(signIn(password)), { startImmediately: true })
    )

  const counted = (tags: ReadonlyArray<string>) =>
    Object.fromEntries([...new Set(tags)].map((tag) => [tag, tags.filter((one) => one === tag).length]))

  it.effect("verifies no more than ten of forty wrong passwords", () =>
    Effect.gen(function* () {
      const { gate, layer, verified } = yield* slow
      yield* Effect.gen(function* () {
        yield* put()
        const tries = yield* atOnce(40, "wrong")
        yield* gate.open
        const tags = yield* Effect.forEach(tries, Fiber.join)
        deepStrictEqual(counted(tags), { CredentialsInvalid: 10, TooManyAttempts: 30 })
        strictEqual(yield* Ref.get(verified), 10)
      }).pipe(Effect.provide(layer))
    })
  )

  it.effect("counts the failures of callers that go away", () =>
    Effect.gen(function* () {
      const { gate, layer, verified } = yield* slow
      yield* Effect.gen(function* () {
        yield* put()
        for (let nth = 0; nth < 40; nth++) {
          yield* gate.close
          const [one] = yield* atOnce(1, "wrong")
          if (one === undefined) continue
          yield* Effect.yieldNow
          const leaving = yield* Effect.forkChild(Fiber.interrupt(one), { startImmediately: true })
          yield* gate.open
          yield* Fiber.join(leaving)
        }
        strictEqual(yield* Ref.get(verified), 10)
        strictEqual(yield* tagOf(signIn("right")), "TooManyAttempts")
      }).pipe(Effect.provide(layer))
    })
  )

  it.effect("accepts forty right passwords, one after the other", () =>
    Effect.gen(function* () {
      const { gate, layer } = yield* slow
      yield* Effect.gen(function* () {
        yield* put()
        const tries = yield* atOnce(40, "right")
        yield* gate.open
        deepStrictEqual(counted(yield* Effect.forEach(tries, Fiber.join)), { in: 40 })
      }).pipe(Effect.provide(layer))
    })
  )

  it.effect("rejects at once what finds a hundred others waiting, and a caller that goes away leaves its place", () =>
    Effect.gen(function* () {
      const { gate, layer } = yield* slow
      yield* Effect.gen(function* () {
        yield* put()
        const waiting = yield* atOnce(100, "right")
        strictEqual(yield* tagOf(signIn("right")), "TooManyAttempts")
        yield* Effect.forEach(waiting.slice(50, 51), Fiber.interrupt)
        const last = yield* atOnce(1, "right")
        yield* gate.open
        deepStrictEqual(counted(yield* Effect.forEach(last, Fiber.join)), { in: 1 })
      }).pipe(Effect.provide(layer))
    })
  )

  it.effect("waits for one try of each other address only, however many one of them sends", () =>
    Effect.gen(function* () {
      const order: Array<string> = []
      const note = (peer: string, tries: ReadonlyArray<number>) =>
        Effect.forEach(tries, (nth) =>
          Effect.forkChild(
            Effect.tap(tagOf(signIn("right", `${peer}-${nth}`, peer)), (tag) =>
              Effect.sync(() => order.push(`${peer} ${tag}`))
            ),
            { startImmediately: true }
          )
        )
      const { gate, layer } = yield* slow
      yield* Effect.gen(function* () {
        const flood = yield* note(
          "harm",
          Array.from({ length: 150 }, (_, nth) => nth)
        )
        const other = yield* note("other", [0])
        deepStrictEqual(counted(order.map((one) => one.slice(5))), { TooManyAttempts: 50 })
        yield* gate.open
        yield* Effect.forEach([...flood, ...other], Fiber.join)
        const judged = order.filter((one) => !one.endsWith("TooManyAttempts"))
        strictEqual(judged.length, 11)
        assertTrue(judged.indexOf("other CredentialsInvalid") <= 2, judged.slice(0, 5).join(", "))
      }).pipe(Effect.provide(layer))
    })
  )
})

describe("Signing in behind others", () => {
  const tries = (count: number) =>
    Effect.forEach(
      Array.from({ length: count }, (_, nth) => nth),
      (nth) => Effect.forkChild(tagOf(signIn("right", `name-${nth}`, `peer-${nth}`)), { startImmediately: true })
    )

  const answersWithinTenSeconds = (count: number) =>
    Effect.gen(function* () {
      yield* put()
      const waiting = yield* tries(count)
      yield* TestClock.adjust("9500 millis")
      return new Set(waiting.map((fiber) => fiber.pollUnsafe()).map((exit) => exit?._tag === "Success" && exit.value))
    })

  it.effect("fails within ten seconds for everyone while the storage does not answer", () =>
    Effect.gen(function* () {
      const { add, failures } = yield* SignInAttempts.SignInAttempts
      const attempts = SignInAttempts.SignInAttempts.of({
        add,
        failures: (...asked) => Effect.delay(failures(...asked), "4 seconds")
      })
      const answer = yield* Latch.make()
      const own = yield* Directory
      const directory = Directory.of({
        ...own,
        account: (...asked) => Effect.andThen(answer.await, own.account(...asked))
      })
      const access = yield* Access.make({ sandbox: true }).pipe(
        Effect.provideService(SignInAttempts.SignInAttempts, attempts),
        Effect.provideService(Directory, directory)
      )
      const answers = yield* answersWithinTenSeconds(50).pipe(
        Effect.provideService(Access.Access, access),
        Effect.ensuring(answer.open)
      )
      deepStrictEqual([...answers], ["StorageError"])
    }).pipe(Effect.provide(services()), Effect.provide([plain, TokenCodecJose.layer(secret), Ids.layer]))
  )

  it.effect("is rejected within ten seconds when verifying the others takes longer", () =>
    Effect.gen(function* () {
      const { gate, layer } = yield* slow
      const answers = yield* answersWithinTenSeconds(50).pipe(Effect.ensuring(gate.open), Effect.provide(layer))
      deepStrictEqual([...answers], ["TooManyAttempts"])
    })
  )

  it.effect("gives up its place in the queue with its answer", () =>
    Effect.gen(function* () {
      const { gate, layer } = yield* slow
      yield* Effect.gen(function* () {
        yield* put()
        yield* tries(100)
        yield* TestClock.adjust("9500 millis")
        const last = yield* Effect.forkChild(tagOf(signIn("right")), { startImmediately: true })
        yield* gate.open
        strictEqual(yield* Fiber.join(last), "in")
      }).pipe(Effect.provide(layer))
    })
  )
})

describe("A token", () => {
  it.effect("ends after 24 hours", () =>
    Effect.gen(function* () {
      yield* put()
      const access = yield* Access.Access
      const { token } = yield* signIn("right")
      yield* TestClock.adjust("23 hours")
      strictEqual(yield* tagOf(access.authenticate("integration", token)), "in")
      yield* TestClock.adjust("1 hour")
      strictEqual(yield* tagOf(access.authenticate("integration", token)), "TokenExpired")
    }).pipe(Effect.provide(services()))
  )

  it.effect("ends within five seconds when its company is closed, and nobody signs in until it is reopened", () =>
    Effect.gen(function* () {
      const [access, directory] = [yield* Access.Access, yield* Directory]
      const [id, other] = [acme.companyId, CompanyId.make(2)]
      yield* directory.putCompanies([id, other].map((id) => ({ id, name: "Acme", legalName: "Acme Ltd" })))
      yield* put()
      yield* put({ username: "other", principal: { ...acme, id: "other", companyId: other } })
      const { token } = yield* signIn("right")
      yield* directory.setClosed(id, 1)
      yield* TestClock.adjust("5 seconds")
      strictEqual(yield* tagOf(access.authenticate("integration", token)), "TokenInvalid")
      deepStrictEqual(
        [yield* tagOf(signIn("right")), yield* tagOf(signIn("right", "other"))],
        ["CredentialsInvalid", "in"]
      )
      yield* directory.setClosed(id, null)
      deepStrictEqual(
        [yield* tagOf(signIn("right")), yield* tagOf(access.authenticate("integration", token))],
        ["in", "in"]
      )
    }).pipe(Effect.provide(services()))
  )

  it.effect("ends within five seconds when its account is disabled or its password changes", () =>
    Effect.gen(function* () {
      const access = yield* Access.Access
      for (const change of [{ enabled: false }, { generation: 2 }]) {
        yield* put()
        const { token } = yield* signIn("right")
        strictEqual(yield* tagOf(access.authenticate("integration", token)), "in")
        yield* put(change)
        yield* TestClock.adjust("5 seconds")
        strictEqual(yield* tagOf(access.authenticate("integration", token)), "TokenInvalid")
      }
    }).pipe(Effect.provide(services()))
  )
})

describe("Tokens of callers who mean harm", () => {
  /** The used bytes of the heap. */
  const heap = Effect.sync(() => {
    setFlagsFromString("--expose-gc")
    const collect: () => void = runInNewContext("gc")
    collect()
    return process.memoryUsage().heapUsed
  })

  it.effect("20,000 tokens of 8 kB that are not ours leave no memory behind", () =>
    Effect.gen(function* () {
      yield* put()
      const { authenticate } = yield* Access.Access
      const { token } = yield* signIn("right")
      const [head = "", payload = ""] = token.split(".")
      const garbage = [
        (nth: number) => `${nth}`.padEnd(8000, "x"),
        (nth: number) => `${`${nth}`.padEnd(4000, "x")}.${"y".repeat(3900)}.z`,
        (nth: number) => `${head}.${payload}.${`${nth}`.padEnd(7000, "s")}`,
        (nth: number) => `${head}.${payload}${nth}.${".".repeat(7000)}`
      ]
      const turn = (from: number) =>
        Effect.forEach(
          Array.from({ length: 5000 }, (_, nth) => from + nth),
          (nth) =>
            Effect.forEach(garbage, (of) =>
              Effect.map(tagOf(authenticate("integration", of(nth))), (tag) => strictEqual(tag, "TokenInvalid"))
            )
        )
      yield* tagOf(authenticate("integration", token))
      const before = yield* heap
      yield* turn(0)
      const grown = (yield* heap) - before
      assertTrue(grown < 5_000_000, `${grown} bytes`)
      strictEqual(yield* tagOf(authenticate("integration", token)), "in")
    }).pipe(Effect.provide(services()))
  )

  it.effect("a token longer than a header can be is not looked at", () =>
    Effect.gen(function* () {
      const verified = yield* Ref.make(0)
      const codec = TokenCodec.of({
        sign: () => Effect.succeed("a.b.c"),
        verify: () =>
          Effect.andThen(
            Ref.update(verified, (count) => count + 1),
            new TokenInvalid({ fault: "malformed" })
          )
      })
      yield* Effect.gen(function* () {
        const { authenticate } = yield* Access.Access
        strictEqual(yield* tagOf(authenticate("integration", "a".repeat(16_385))), "TokenInvalid")
        strictEqual(yield* Ref.get(verified), 0)
        strictEqual(yield* tagOf(authenticate("integration", "a.b.c")), "TokenInvalid")
        strictEqual(yield* Ref.get(verified), 1)
      }).pipe(Effect.provide(services(true, plain, Layer.succeed(TokenCodec, codec))))
    })
  )

  it.effect("a caller that goes away leaves the others who wait for the same token alone", () =>
    Effect.gen(function* () {
      const gate = yield* Latch.make()
      const real = TokenCodecJose.make(secret)
      const codec = TokenCodec.of({
        ...real,
        verify: (...asked) => Effect.andThen(gate.await, real.verify(...asked))
      })
      yield* Effect.gen(function* () {
        yield* put()
        const { authenticate } = yield* Access.Access
        const { token } = yield* signIn("right")
        const [first, second] = yield* Effect.all(
          [0, 1].map(() => Effect.forkChild(tagOf(authenticate("integration", token)), { startImmediately: true }))
        )
        if (first !== undefined) yield* Fiber.interrupt(first)
        yield* gate.open
        if (second !== undefined) strictEqual(yield* Fiber.join(second), "in")
      }).pipe(Effect.provide(services(true, plain, Layer.succeed(TokenCodec, codec))))
    })
  )
})

describe("A token that another host's clock dates", () => {
  for (const [ahead, is] of [
    ["1 minute", "in"],
    ["62 seconds", "future"]
  ] as const)
    it.effect(
      `${is === "in" ? "is accepted" : "is rejected, and the message names the clocks,"} when that is ${ahead} ahead`,
      () =>
        Effect.gen(function* () {
          yield* TestClock.adjust("2 days")
          yield* put()
          const now = yield* Clock.currentTimeMillis
          yield* TestClock.adjust(ahead)
          const { token } = yield* signIn("right")
          yield* TestClock.setTime(now)
          const { authenticate } = yield* Access.Access
          const said = yield* Effect.match(authenticate("integration", token), {
            onFailure: (failure) => failure.message,
            onSuccess: () => "in"
          })
          strictEqual(
            is === "in" ? said === "in" : /^The token was issued in the future .*clocks/.test(said),
            true,
            said
          )
        }).pipe(Effect.provide(services()))
    )
})

describe("A clock that is set back a day", () => {
  const setBack = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    yield* TestClock.setTime(now - 86_400_000)
  })

  it.effect("blocks no account for longer than a minute", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust("2 days")
      yield* put()
      for (let n = 0; n < 10; n++) strictEqual(yield* tagOf(signIn("wrong")), "CredentialsInvalid")
      strictEqual(yield* tagOf(signIn("right")), "TooManyAttempts")
      yield* setBack
      strictEqual(yield* tagOf(signIn("right")), "in")
      for (let n = 0; n < 10; n++) strictEqual(yield* tagOf(signIn("wrong")), "CredentialsInvalid")
      strictEqual(yield* tagOf(signIn("right")), "TooManyAttempts")
      yield* TestClock.adjust("61 seconds")
      strictEqual(yield* tagOf(signIn("right")), "in")
    }).pipe(Effect.provide(services()))
  )

  it.effect("doesn't delay the end of a disabled account's tokens", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust("2 days")
      yield* put()
      const { authenticate } = yield* Access.Access
      const { token: late } = yield* signIn("right")
      strictEqual(yield* tagOf(authenticate("integration", late)), "in")
      yield* setBack
      const { token } = yield* signIn("right")
      strictEqual(yield* tagOf(authenticate("integration", token)), "in")
      // Read once more before the clock is set back, so that its cached time is later than now.
      yield* TestClock.adjust("1 minute")
      strictEqual(yield* tagOf(authenticate("integration", token)), "in")
      const now = yield* Clock.currentTimeMillis
      yield* TestClock.setTime(now - 60_000)
      yield* put({ enabled: false, generation: 2 })
      yield* TestClock.adjust("5 seconds")
      strictEqual(yield* tagOf(authenticate("integration", token)), "TokenInvalid")
    }).pipe(Effect.provide(services()))
  )

  it.effect("makes no token valid for longer than a day: one from tomorrow isn't valid yet", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust("2 days")
      yield* put()
      const { authenticate } = yield* Access.Access
      const { token } = yield* signIn("right")
      yield* setBack
      strictEqual(yield* tagOf(authenticate("integration", token)), "TokenInvalid")
      const now = yield* Clock.currentTimeMillis
      yield* TestClock.setTime(now + 86_400_000 - 61_000)
      strictEqual(yield* tagOf(authenticate("integration", token)), "TokenInvalid")
      yield* TestClock.setTime(now + 86_400_000 - 60_000)
      strictEqual(yield* tagOf(authenticate("integration", token)), "in")
    }).pipe(Effect.provide(services()))
  )
})
