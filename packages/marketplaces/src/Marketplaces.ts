/** Use cases that connect a marketplace and change its registration. */
import { type Account, type Caller, Directory, PasswordHash } from "@crossdock/access"
import { CompanyEvent, CompanyWrite } from "@crossdock/audit"
import { StockLevels } from "@crossdock/inventory"
import { type CompanyId, SecretCipher, type Stored, taggedError, Violation } from "@crossdock/kernel"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { LocationMapping, Marketplace } from "./Marketplace.ts"
import { codesOf, companiesOf, MarketplaceStore, StockResend } from "./Marketplace.ts"
import * as MarketplaceFeed from "./MarketplaceFeed.ts"
import * as Offer from "./Offer.ts"
import * as Registration from "./Registration.ts"
import * as StoredWebhook from "./StoredWebhook.ts"

/** The registration is not valid, and nothing was changed. */
export class RegistrationRejected extends taggedError<RegistrationRejected>()(
  "@crossdock/marketplaces/RegistrationRejected",
  { violations: Schema.Array(Violation) },
  ({ violations }) => violations.map(({ message, path }) => `${path}: ${message}`).join("\n")
) {}

/** There is no marketplace with this slug. */
export class UnknownMarketplace extends taggedError<UnknownMarketplace>()(
  "@crossdock/marketplaces/UnknownMarketplace",
  { slug: Schema.String },
  ({ slug }) => `There is no marketplace ${JSON.stringify(slug)}: register it first.`
) {}

/** Connects marketplaces and changes their registrations. */
export class Marketplaces extends Context.Service<
  Marketplaces,
  {
    /**
     * Connects the marketplace or changes its registration. A replaced webhook secret remains valid for a day. A new password
     * ends earlier tokens. If the visible stock changes, it is resent. Source: docs/reference/notifications.md#registration.
     */
    readonly register: (
      caller: Caller,
      registration: Registration.Registration
    ) => Stored<Marketplace, RegistrationRejected>
    /** Applies `change` to the current registration. Changes of concurrent registrations aren't lost. */
    readonly amend: (
      caller: Caller,
      slug: string,
      change: (current: Registration.Registration) => Registration.Registration
    ) => Stored<Marketplace, RegistrationRejected | UnknownMarketplace>
    /** Gives the marketplace's account a new password. All earlier tokens stop working within 5 seconds. */
    readonly setPassword: (
      caller: Caller,
      slug: string,
      password: string
    ) => Stored<void, RegistrationRejected | UnknownMarketplace>
    /** Enables or disables the marketplace's account. This takes effect within 5 seconds. A repeat changes nothing. */
    readonly setEnabled: (caller: Caller, slug: string, enabled: boolean) => Stored<void, UnknownMarketplace>
  }
>()("@crossdock/marketplaces/Marketplaces") {}

/** The companies to resend: newly mapped, closed or reopened ones, or all if SKUs, safety stock or the URL changed. */
const companiesToResend = (before: Marketplace | undefined, after: Marketplace): ReadonlyArray<CompanyId> => {
  if (before === undefined) return []
  const shown = ({ buffers, skus, webhook }: Marketplace) => JSON.stringify([buffers, skus, webhook?.url ?? null])
  if (shown(before) !== shown(after)) return companiesOf(after)
  const seen = (marketplace: Marketplace) => (one: LocationMapping) =>
    JSON.stringify([one.companyId, one.location, one.code, Offer.isOpen(marketplace, one.companyId)])
  const known = new Set(before.locations.map(seen(before)))
  return companiesOf({ ...after, locations: after.locations.filter((one) => !known.has(seen(after)(one))) })
}

const affectedCompanies = (before: Marketplace | undefined, after: Marketplace): ReadonlyArray<CompanyId> => [
  ...new Set([...(before === undefined ? [] : companiesOf(before)), ...companiesOf(after)])
]

/** The registration as a company's audit trail shows it, without other companies and without secrets. */
const auditView = (marketplace: Marketplace | undefined, companyId: CompanyId) =>
  marketplace === undefined
    ? null
    : {
        name: marketplace.name,
        currency: marketplace.currency,
        locations: marketplace.locations
          .filter((one) => one.companyId === companyId)
          .map((one) => [one.location, one.code]),
        listens: marketplace.webhook !== null
      }

export const make = Effect.gen(function* () {
  const directory = yield* Directory
  const hashes = yield* PasswordHash
  const store = yield* MarketplaceStore
  const resend = yield* StockResend
  const { run } = yield* CompanyWrite.CompanyWrite
  const levels = yield* StockLevels
  const cipher = yield* SecretCipher.SecretCipher

  const webhookOf = (
    { slug, webhook }: Registration.Registration,
    known: StoredWebhook.StoredWebhook | null,
    now: number
  ) =>
    webhook === null
      ? Effect.succeed(null)
      : Effect.fromResult(
          StoredWebhook.registered({ cipher, place: StoredWebhook.placeOf(slug) }, webhook, known, now)
        ).pipe(
          Effect.mapError(({ keyId, why }) => {
            const path = webhook.secret === null ? "/webhook/secret" : "/webhook/authentication"
            const asBefore = keyId === null ? "" : "set SECRETS_KEY or SECRETS_KEY_PREVIOUS to that key, or "
            const message = `can't be kept, since it ${why}: ${asBefore}give a new secret and authentication`
            return new RegistrationRejected({ violations: [{ path, code: "INVALID_VALUE", message }] })
          })
        )

  /** Registers the marketplace that `asked` derives from the stored one. */
  const registering = <E>(
    caller: Caller,
    slug: string,
    passwordHash: string | null,
    asked: (known: Marketplace | undefined) => Effect.Effect<Registration.Registration, E>
  ) =>
    run(caller, {
      load: Effect.gen(function* () {
        yield* store.lock
        const known = yield* store.find(slug)
        const registration = yield* asked(known)
        const { buffers, currency, name, skus } = registration
        const locations = yield* directory.locations([...new Set(registration.locations.map((one) => one.companyId))])
        const account = yield* directory.account("marketplace", slug)
        const violations = Registration.violationsOf(registration, locations, {
          password: account !== undefined,
          secret: (known?.webhook ?? null) !== null
        })
        if (violations.length > 0) return yield* new RegistrationRejected({ violations })
        const closed = (yield* directory.closed).filter((id) =>
          registration.locations.some(({ companyId }) => companyId === id)
        )
        const marketplace: Marketplace = {
          slug,
          name,
          currency,
          locations: registration.locations,
          ...(closed.length === 0 ? {} : { closedCompanies: closed }),
          retiredCodes: Registration.retiredCodes(known, registration.locations),
          skus,
          buffers,
          webhook: yield* webhookOf(registration, known?.webhook ?? null, yield* Clock.currentTimeMillis)
        }
        return { account, known, marketplace }
      }),
      decide: ({ account, known, marketplace }) =>
        Effect.gen(function* () {
          yield* store.put(marketplace)
          if (passwordHash !== null) yield* directory.putAccounts([accountOf(slug, passwordHash, account)])
          const moved = Registration.movedCodes(known, marketplace.locations)
          const resent = new Set(companiesToResend(known, marketplace))
          const change = (companyId: CompanyId): CompanyWrite.CompanyChange => ({
            companyId,
            entity: { type: "marketplace", id: slug, action: "register" },
            save: Effect.fnUntraced(function* (mark) {
              const changeNumber = yield* CompanyWrite.knownNumber(mark.changeNumber)
              for (const { from, to } of moved.filter((one) => one.to.companyId === companyId))
                yield* levels.markMissing(slug, from, to, changeNumber, mark.at)
              if (resent.has(companyId)) yield* resend.restart(slug, companyId, mark)
              const request = auditView(marketplace, companyId)
              const isOpen = Offer.isOpen(marketplace, companyId)
              const locations = isOpen ? [...codesOf(marketplace, companyId).keys()] : []
              return {
                logs: { request, response: null, before: auditView(known, companyId) },
                events: [CompanyEvent.draft(MarketplaceFeed.registered, { marketplace: slug, locations })]
              }
            })
          })
          return { answer: marketplace, changes: affectedCompanies(known, marketplace).map(change) }
        })
    })

  const register = Effect.fn("Marketplaces.register")(function* (
    caller: Caller,
    registration: Registration.Registration
  ) {
    const { password, slug } = registration
    // Hashing is slow on purpose, so it is done before anything is locked.
    const passwordHash = password === null ? null : yield* hashes.hash(password)
    return yield* registering(caller, slug, passwordHash, () => Effect.succeed(registration))
  })

  const amend: typeof Marketplaces.Service.amend = (caller, slug, change) =>
    registering(caller, slug, null, (known) =>
      known === undefined
        ? Effect.fail(new UnknownMarketplace({ slug }))
        : Effect.succeed({ ...change(Registration.of(known)), slug, password: null })
    ).pipe(Effect.withSpan("Marketplaces.amend"))

  /** Changes the account, with an audit record for each of the marketplace's companies. */
  const change = (caller: Caller, slug: string, action: string, next: (account: Account) => Account | undefined) =>
    run(caller, {
      load: Effect.gen(function* () {
        yield* store.lock
        const [marketplace, account] = [yield* store.find(slug), yield* directory.account("marketplace", slug)]
        return marketplace === undefined || account === undefined
          ? yield* new UnknownMarketplace({ slug })
          : { account, marketplace }
      }),
      decide: Effect.fnUntraced(function* ({ account, marketplace }) {
        const after = next(account)
        if (after === undefined) return CompanyWrite.nothing(undefined)
        yield* directory.putAccounts([{ ...after, generation: account.generation + 1 }])
        const request = { kind: "marketplace", username: slug, enabled: after.enabled }
        const changeOf = (companyId: CompanyId): CompanyWrite.CompanyChange => ({
          companyId,
          entity: { type: "account", id: slug, action },
          // There is no event, since consumers of the feed don't act on sign-ins.
          save: () => Effect.succeed({ logs: { request, response: null }, events: [] })
        })
        const changes = companiesOf(marketplace).map(changeOf)
        // Without a company there is no audit trail, and only the log names the caller.
        if (changes.length === 0)
          yield* Effect.logWarning("The account of a marketplace that sells for no company was changed").pipe(
            Effect.annotateLogs({ marketplace: slug, action, by: caller.principal.id })
          )
        return { answer: undefined, changes }
      })
    })

  const setPassword: typeof Marketplaces.Service.setPassword = Effect.fnUntraced(function* (caller, slug, password) {
    const violations = Registration.passwordViolations(password)
    if (violations.length > 0) return yield* new RegistrationRejected({ violations })
    const passwordHash = yield* hashes.hash(password)
    yield* change(caller, slug, "set_password", (account) => ({ ...account, passwordHash }))
  })

  const setEnabled: typeof Marketplaces.Service.setEnabled = (caller, slug, enabled) =>
    change(caller, slug, enabled ? "enable" : "disable", (account) =>
      account.enabled === enabled ? undefined : { ...account, enabled }
    )

  return Marketplaces.of({ register, amend, setPassword, setEnabled })
})

const accountOf = (slug: string, passwordHash: string, before: Account | undefined): Account => ({
  username: slug,
  passwordHash,
  // A new password doesn't enable an account that is disabled.
  enabled: before?.enabled ?? true,
  generation: (before?.generation ?? 0) + 1,
  sandbox: false,
  principal: { kind: "marketplace", id: slug }
})

export const layer = Layer.effect(Marketplaces, make)
