/** Use cases that sign callers in and authenticate their tokens. */
import { CompanyId, Ids, Instant, StorageError, type Stored, Transaction } from "@crossdock/kernel"
import * as Cache from "effect/Cache"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import type { Audience, Claims, TokenExpired } from "./Credentials.ts"
import {
  actingSeconds,
  CredentialsInvalid,
  operatorSeconds,
  PasswordHash,
  TokenCodec,
  TokenInvalid,
  tokenSeconds
} from "./Credentials.ts"
import { type Account, type AccountKind, Directory } from "./Directory.ts"
import type { AccountHolder, Operator, Principal } from "./Principal.ts"
import * as SignInAttempts from "./SignInAttempts.ts"
import { TooManyAttempts } from "./SignInAttempts.ts"

/** An attempt to sign in. */
export interface SignIn {
  readonly kind: TokenKind
  readonly username: string
  readonly password: string
  readonly peer: string
  /** The marketplace's slug or the company's id in the path. Credentials of any other are rejected. */
  readonly at?: string | undefined
}

/** Without `sandbox`, all accounts of the sandbox are rejected. Without `sandboxOperator`, its operator is rejected. */
export interface AccessOptions {
  readonly sandbox: boolean
  readonly sandboxOperator?: boolean | undefined
}

const audiences = {
  integration: "seller",
  marketplace: "marketplace",
  platform_client: "platform",
  operator: "operator",
  session: "session"
} as const satisfies Record<AccountKind | "session", Audience>

/** The kind of a token. It is the kind of its account, or `session` for the console session of an operator. */
export type TokenKind = keyof typeof audiences

/** The type of a token's principal, by the token's kind. */
export type HolderOf = { readonly [K in AccountKind]: Extract<AccountHolder, { kind: K }> } & {
  readonly session: Operator
}

const accountKindOf = (kind: TokenKind): AccountKind => (kind === "session" ? "operator" : kind)

/** Signs callers in and authenticates their tokens. */
export class Access extends Context.Service<
  Access,
  {
    /**
     * Returns a new token for a username and password. Too many failures block the username and the address for a minute.
     * Passwords are verified one after the other. An attempt is rejected like a blocked one if the queue is full, or if it has
     * no result within 9 seconds. Source: docs/reference/authentication.md#sign-in-limit.
     */
    readonly signIn: (
      attempt: SignIn
    ) => Stored<{ readonly token: string; readonly principal: AccountHolder }, CredentialsInvalid | TooManyAttempts>
    /** Ends all sessions of the operator with this valid token, and the operator's tokens for companies. */
    readonly signOut: (session: string) => Stored<void>
    /**
     * Returns a token's principal. Ended tokens work for up to 5 s. Source: docs/reference/authentication.md#ended-tokens.
     */
    readonly authenticate: <K extends TokenKind>(
      kind: K,
      token: string
    ) => Stored<HolderOf[K], TokenInvalid | TokenExpired>
    /**
     * Returns an operator's tokens for a company's seller and platform interfaces, and for the operator interface. `scopes`
     * are the platform token's. On the first two interfaces, the principal's id is `operator:<name>:<company>`. All tokens
     * end with the operator's account. `session` is verified without the cache.
     */
    readonly actFor: (
      session: string,
      companyId: CompanyId,
      scopes: ReadonlyArray<string>
    ) => Stored<
      { readonly seller: string; readonly platform: string; readonly operator: string },
      TokenInvalid | TokenExpired
    >
  }
>()("@crossdock/access/Access") {}

/**
 * Whether credentials work at a path: a marketplace's under its own slug, a platform client's under its own company.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { Access } from "@crossdock/access"
 *
 * strictEqual(Access.worksAt({ kind: "marketplace", id: "bazaar" }, "souk"), false)
 * ```
 */
export const worksAt = (holder: AccountHolder, at: string | undefined): boolean =>
  at === undefined ||
  (holder.kind === "marketplace" ? holder.id === at : "companyId" in holder && String(holder.companyId) === at)

/** How long a token's account is cached. It must be less than the 5 seconds for which an ended token may still work. */
const principalCachedFor = Duration.seconds(3)

/** The most characters of a token: as many as the longest header has. A longer token isn't verified. */
const maxTokenLength = 16_384

/** The most sign-ins of a host that are queued or running. Verifying one takes about a tenth of a second. */
const maxQueued = 1_000

/** The most queued sign-ins of one network address. Addresses take turns. */
const maxQueuedOfPeer = 100

/** The prefix of an operator's name in tokens and audit records. No username contains a colon. */
const operatorPrefix = "operator:"

/** An operator's principal for a company. Its id includes the company, since rate limits are counted per id. */
const acting = (kind: TokenKind, { companyId, scope = "", subject }: Claims): Principal | undefined => {
  if (companyId === undefined || (kind !== "integration" && kind !== "platform_client")) return undefined
  const own = { id: `${subject}:${companyId}`, companyId: CompanyId.make(companyId) }
  return kind === "integration"
    ? { kind, ...own, integrationId: subject, locations: null, stockPolicy: "set" }
    : { kind, ...own, scopes: scope.split(" ") }
}

/** The longest duration of a sign-in, including its time in the queue. It is short enough for an answer within 10 seconds. */
const signInMillis = 9_000

/** The seconds after which to retry a sign-in if the queue was full or the sign-in got no turn in time. */
const queueRetrySeconds = 5

const claimsOf = (kind: TokenKind, { generation, principal, username }: Account, id: string, now: number): Claims => {
  const issuedAt = Math.floor(now / 1000)
  const seconds = principal.kind === "operator" ? operatorSeconds : tokenSeconds
  return {
    audience: audiences[kind],
    subject: username,
    id,
    generation,
    issuedAt,
    expiresAt: issuedAt + seconds,
    ...("companyId" in principal && { companyId: principal.companyId }),
    ...("locations" in principal && principal.locations !== null && { locations: principal.locations }),
    ...("scopes" in principal && { scope: principal.scopes.join(" ") }),
    ...(principal.kind === "marketplace" && { marketplace: principal.id })
  }
}

export const make = (options: AccessOptions) =>
  Effect.gen(function* () {
    const directory = yield* Directory
    const hashes = yield* PasswordHash
    const codec = yield* TokenCodec
    const attempts = yield* SignInAttempts.SignInAttempts
    const ids = yield* Ids.Ids

    const isOpen = (id: CompanyId) => Effect.map(directory.company(id), (company) => company?.closedAt === undefined)

    /** Returns the account if it is enabled and its company is open. Accounts of the sandbox need a host with a sandbox. */
    const usable = Effect.fnUntraced(function* (account: Account | undefined) {
      if (account?.enabled !== true) return undefined
      const { principal } = account
      const { sandbox, sandboxOperator = false } = options
      if (account.sandbox && !(sandbox && (principal.kind !== "operator" || sandboxOperator))) return undefined
      return !("companyId" in principal) || (yield* isOpen(principal.companyId)) ? account : undefined
    })

    const rejectTooMany = Effect.fnUntraced(function* (keys: ReadonlyArray<string>, now: number) {
      const failures = yield* attempts.failures(keys, now - SignInAttempts.windowMillis)
      const blocked = keys.map((key) =>
        SignInAttempts.blockedSeconds(
          failures.filter((one) => one.key === key).map(({ at }) => at),
          now
        )
      )
      const retryAfterSeconds = Math.max(0, ...blocked.map((seconds) => seconds ?? 0))
      if (retryAfterSeconds > 0) return yield* new TooManyAttempts({ retryAfterSeconds })
    })

    const waitsForStorage = yield* Ref.make(false)
    const stored = <A, E>(ask: Effect.Effect<A, E>) =>
      Effect.andThen(Ref.set(waitsForStorage, true), ask).pipe(Effect.ensuring(Ref.set(waitsForStorage, false)))

    /** Takes as long as the verification of a wrong password, so that unknown usernames aren't revealed. */
    const unmatched = Effect.fnUntraced(function* (kind: Account["principal"]["kind"], password: string) {
      const accounts = options.sandbox ? yield* stored(directory.accounts(kind)) : []
      const quick = accounts.every(({ sandbox }) => sandbox) ? accounts[0] : undefined
      yield* quick === undefined ? hashes.hash(password) : hashes.verify(password, quick.passwordHash)
      return false
    })

    /** Decides one attempt. No other may run meanwhile. It can't be interrupted, so that a failure is always counted. */
    const judge = (attempt: SignIn, keys: ReadonlyArray<string>) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        yield* stored(rejectTooMany(keys, now))
        const kind = accountKindOf(attempt.kind)
        const known = yield* stored(directory.account(kind, attempt.username))
        const account = yield* stored(usable(known))
        const matches = yield* known === undefined
          ? unmatched(kind, attempt.password)
          : hashes.verify(attempt.password, known.passwordHash)
        if (!matches || account === undefined || !worksAt(account.principal, attempt.at)) {
          yield* stored(attempts.add(keys, now, now - SignInAttempts.windowMillis))
          return yield* new CredentialsInvalid()
        }
        const id = yield* ids.hex
        return { token: yield* codec.sign(claimsOf(attempt.kind, account, id, now)), principal: account.principal }
      }).pipe(Effect.uninterruptible)

    const inTurn = SignInAttempts.fairTurns({ max: maxQueued, maxPerKey: maxQueuedOfPeer })

    /** The error of an attempt that got no result in time, because of the storage or because of earlier attempts. */
    const tooLate = () =>
      Ref.getUnsafe(waitsForStorage)
        ? new StorageError({ operation: "Access.signIn", cause: new Error("The storage did not answer in time") })
        : new TooManyAttempts({ retryAfterSeconds: queueRetrySeconds })

    const signIn = Effect.fn("Access.signIn")(function* (attempt: SignIn) {
      const keys = [`${accountKindOf(attempt.kind)}:${attempt.username}`, `peer:${attempt.peer}`]
      const startedAt = yield* Clock.currentTimeMillis
      // Blocked attempts aren't queued.
      yield* rejectTooMany(keys, startedAt)
      const limit = startedAt + signInMillis - (yield* Clock.currentTimeMillis)
      const turn = inTurn(attempt.peer, judge(attempt, keys))
      const judged = yield* Transaction.abandonAfter(turn, { limit, orElse: tooLate })
      return yield* Option.match(judged, {
        onNone: () => new TooManyAttempts({ retryAfterSeconds: queueRetrySeconds }),
        onSome: Effect.succeed
      })
    })

    const judged = Effect.fnUntraced(function* (kind: TokenKind, token: string) {
      if (token.length > maxTokenLength) return yield* new TokenInvalid({ fault: "malformed" })
      const now = yield* Clock.currentTimeMillis
      const claims = yield* codec.verify(token, audiences[kind], now)
      const operator = claims.subject.startsWith(operatorPrefix)
      const found = operator
        ? directory.account("operator", claims.subject.slice(operatorPrefix.length))
        : directory.account(accountKindOf(kind), claims.subject)
      const account = yield* usable(yield* found)
      const principal = operator ? acting(kind, claims) : account?.principal
      if (
        account?.generation !== claims.generation ||
        principal === undefined ||
        (operator && "companyId" in principal && !(yield* isOpen(principal.companyId)))
      ) {
        return yield* new TokenInvalid({ fault: "revoked" })
      }
      // A token that was issued before the clock was set back would be valid for longer than a day.
      if (claims.issuedAt * 1000 > now + Instant.tokenLeeway) return yield* new TokenInvalid({ fault: "future" })
      return { account, principal, foundAt: now }
    })

    const holders = yield* Cache.makeWith(
      (kindAndToken: string) => {
        const split = kindAndToken.indexOf(" ")
        return judged(kindAndToken.slice(0, split) as TokenKind, kindAndToken.slice(split + 1))
      },
      {
        capacity: 10_000,
        timeToLive: Exit.match({ onFailure: () => Duration.zero, onSuccess: () => principalCachedFor })
      }
    )

    const principalOf = Effect.fnUntraced(function* (kind: TokenKind, token: string) {
      const key = `${kind} ${token}`
      const found = yield* Cache.get(holders, key)
      if (found.foundAt <= (yield* Clock.currentTimeMillis)) return found.principal
      // The clock was set back. The cache would keep this entry until the clock reaches its old time.
      yield* Cache.invalidate(holders, key)
      return (yield* Cache.get(holders, key)).principal
    })

    // A session's principal has the type that belongs to its kind.
    const authenticate = principalOf as typeof Access.Service.authenticate

    const signOut = (session: string) =>
      judged("session", session).pipe(
        Effect.flatMap(({ account }) => directory.replaceAccount({ ...account, generation: account.generation + 1 })),
        Effect.catchTag(["TokenInvalid", "TokenExpired"], () => Effect.void),
        Effect.asVoid
      )

    const actFor = Effect.fnUntraced(function* (session: string, companyId: CompanyId, scopes: ReadonlyArray<string>) {
      const { account } = yield* judged("session", session)
      const issuedAt = Math.floor((yield* Clock.currentTimeMillis) / 1000)
      const { generation, username } = account
      const common = { generation, issuedAt, expiresAt: issuedAt + actingSeconds }
      const acts = { ...common, subject: `${operatorPrefix}${username}`, companyId }
      return {
        seller: yield* codec.sign({ ...acts, audience: "seller", id: yield* ids.hex }),
        platform: yield* codec.sign({ ...acts, audience: "platform", id: yield* ids.hex, scope: scopes.join(" ") }),
        operator: yield* codec.sign({ ...common, subject: username, audience: "operator", id: yield* ids.hex })
      }
    })

    return Access.of({ signIn, signOut, authenticate, actFor })
  })

/** The service `Access`. Provide it only once. The package crypto has the `PasswordHash` and `TokenCodec` that it needs. */
export const layer = (options: AccessOptions) => Layer.effect(Access, make(options))
