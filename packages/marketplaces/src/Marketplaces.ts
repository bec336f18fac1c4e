/**
 * Use case: connect a marketplace, and change how it is connected.
 */
import { type Account, type Caller, Directory, PasswordHash } from "@crossdock/access"
import { CompanyWrite } from "@crossdock/audit"
import { StockLevels } from "@crossdock/inventory"
import { type CompanyId, type StorageError, Violation } from "@crossdock/kernel"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as FormerCodes from "./FormerCodes.ts"
import { companiesOf, type Marketplace, type Webhook } from "./Marketplace.ts"
import { MarketplaceStore } from "./MarketplaceStore.ts"
import * as Registration from "./Registration.ts"
import { StockResend } from "./StockResend.ts"

/**
 * Nothing of the registration was done.
 */
export class RegistrationRejected extends Schema.TaggedError<RegistrationRejected>(
  "@crossdock/marketplaces/RegistrationRejected"
)("RegistrationRejected", { violations: Schema.Array(Violation) }) {
  override get message() {
    return this.violations.map(({ message, path }) => `${path}: ${message}`).join("\n")
  }
}

export class Marketplaces extends Context.Service<
  Marketplaces,
  {
    /**
     * Connects the marketplace, or changes how it is connected. A webhook secret that is replaced stays valid for a day
     * beside the new one; a new password ends the tokens given before; whatever changes what the marketplace is shown is
     * told to it anew.
     */
    readonly register: (
      caller: Caller,
      registration: Registration.Registration
    ) => Effect.Effect<Marketplace, RegistrationRejected | StorageError>
  }
>()("@crossdock/marketplaces/Marketplaces") {}

/**
 * How long two secrets are valid, in milliseconds.
 */
const retiresAfter = 86_400_000

const webhookOf = (
  wanted: Registration.Registration["webhook"],
  present: Webhook | null,
  now: number
): Webhook | null => {
  if (wanted === null) return null
  const secret = wanted.secret ?? present?.secret ?? ""
  const replaced = present !== null && present.secret !== secret
  const retiring = replaced ? { secret: present.secret, until: now + retiresAfter } : (present?.retiring ?? null)
  return { url: wanted.url, secret, retiring, authentication: wanted.authentication }
}

/**
 * The companies whose stock the marketplace must be told anew: those with a location that was not mapped so before, or all
 * when it is shown other SKUs or quantities, or listens elsewhere.
 */
const toldAnew = (before: Marketplace | undefined, after: Marketplace): ReadonlyArray<CompanyId> => {
  if (before === undefined) return []
  const shown = ({ buffers, skus, webhook }: Marketplace) => JSON.stringify([buffers, skus, webhook?.url ?? null])
  if (shown(before) !== shown(after)) return companiesOf(after)
  const known = new Set(before.locations.map((one) => JSON.stringify(one)))
  return companiesOf({ ...after, locations: after.locations.filter((one) => !known.has(JSON.stringify(one))) })
}

/**
 * Every company that the marketplace sold for before, or does now.
 */
const concerned = (before: Marketplace | undefined, after: Marketplace): ReadonlyArray<CompanyId> => [
  ...new Set([...(before === undefined ? [] : companiesOf(before)), ...companiesOf(after)])
]

/**
 * What a company may know of how the marketplace is connected: nothing of other companies, and no secret.
 */
const connected = (marketplace: Marketplace | undefined, companyId: CompanyId) =>
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

  const register = Effect.fn("Marketplaces.register")(function* (
    caller: Caller,
    registration: Registration.Registration
  ) {
    const { buffers, currency, name, password, skus, slug } = registration
    const companies = [...new Set(registration.locations.map((one) => one.companyId))]
    // It takes long on purpose: nobody is held meanwhile.
    const passwordHash = password === null ? null : yield* hashes.hash(password)
    const now = yield* Clock.currentTimeMillis
    return yield* run(caller, {
      load: Effect.gen(function* () {
        yield* store.lock
        const locations = (yield* Effect.forEach(companies, directory.locations)).flat()
        const known = yield* store.find(slug)
        const account = yield* directory.account("marketplace", slug)
        const violations = Registration.judge(registration, locations, {
          password: account !== undefined,
          secret: (known?.webhook ?? null) !== null
        })
        if (violations.length > 0) return yield* new RegistrationRejected({ violations })
        const marketplace: Marketplace = {
          slug,
          name,
          currency,
          locations: registration.locations,
          former: FormerCodes.formerOf(known, registration.locations),
          skus,
          buffers,
          webhook: webhookOf(registration.webhook, known?.webhook ?? null, now)
        }
        return { account, known, marketplace }
      }),
      companies: ({ known, marketplace }) => concerned(known, marketplace),
      decide: ({ account, known, marketplace }) =>
        Effect.gen(function* () {
          yield* store.put(marketplace)
          if (passwordHash !== null) yield* directory.putAccounts([signingIn(slug, passwordHash, account)])
          const moved = FormerCodes.movedCodes(known, registration.locations)
          const anew = new Set(toldAnew(known, marketplace))
          const change = (companyId: CompanyId): CompanyWrite.CompanyChange => ({
            companyId,
            entity: { type: "marketplace", id: slug, action: "register" },
            save: (mark) =>
              Effect.gen(function* () {
                for (const { from, to } of moved.filter((one) => one.to.companyId === companyId)) {
                  yield* levels.markMissing(slug, from, to, mark.number, mark.at)
                }
                if (anew.has(companyId)) yield* resend.restart(slug, companyId, mark)
                const request = connected(marketplace, companyId)
                return { request, response: null, before: connected(known, companyId) }
              })
          })
          return { answer: marketplace, changes: concerned(known, marketplace).map(change) }
        })
    })
  })

  return Marketplaces.of({ register })
})

const signingIn = (slug: string, passwordHash: string, before: Account | undefined): Account => ({
  username: slug,
  passwordHash,
  enabled: true,
  generation: (before?.generation ?? 0) + 1,
  sandbox: false,
  principal: { kind: "marketplace", id: slug }
})

export const layer: Layer.Layer<
  Marketplaces,
  never,
  Directory | MarketplaceStore | PasswordHash | StockResend | StockLevels | CompanyWrite.CompanyWrite
> = Layer.effect(Marketplaces, make)
