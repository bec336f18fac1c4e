/** Use case: companies of a host, and their locations. Each change is in the company's audit trail. */
import { type Caller, type Company, Directory, Gstin, type Location } from "@crossdock/access"
import { AuditStore, CompanyEvent, CompanyWrite } from "@crossdock/audit"
import { Billing } from "@crossdock/billing"
import { CustomFields } from "@crossdock/catalog"
import type { OperatorRecords } from "@crossdock/http"
import {
  type CompanyId,
  Money,
  pointer,
  type Stored,
  Text,
  Transaction,
  taggedError,
  Violation
} from "@crossdock/kernel"
import { MarketplaceStore, Marketplaces } from "@crossdock/marketplaces"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import * as EventTypes from "./EventTypes.ts"

/** A company or location isn't valid. The error lists every fault with its path. */
export class CompanyRejected extends taggedError<CompanyRejected>()(
  "@crossdock/host/CompanyRejected",
  { violations: Schema.Array(Violation) },
  ({ violations }) => violations.map(({ message, path }) => `${path} ${message}`).join("\n")
) {}

/** The company isn't registered. */
export class UnknownCompany extends taggedError<UnknownCompany>()(
  "@crossdock/host/UnknownCompany",
  { companyId: Schema.Int },
  ({ companyId }) => `Company ${companyId} is not registered: call Companies.register first.`
) {}

/** Registers companies and their locations. */
export class Companies extends Context.Service<
  Companies,
  {
    /** Registers or changes a company and the given locations. A location's currency is fixed (`CURRENCY_MISMATCH`). */
    readonly register: (
      caller: Caller,
      company: Company,
      locations: ReadonlyArray<Omit<Location, "companyId">>
    ) => Stored<void, CompanyRejected>
    /** Finds a company, and its locations in the order of their codes. */
    readonly find: (
      id: CompanyId
    ) => Stored<{ readonly company: Company; readonly locations: ReadonlyArray<Location> }, UnknownCompany>
    /** Closes a company until it is reopened. The call can be repeated. Source: docs/guides/operate.md#close-a-company. */
    readonly close: (caller: Caller, id: CompanyId) => Stored<Affected, NotClosed>
    /** Reopens a closed company. The time while it was closed isn't billed. */
    readonly reopen: (caller: Caller, id: CompanyId) => Stored<Affected, NotClosed>
  }
>()("@crossdock/host/Companies") {}

/** Why closing or reopening failed: the registration of the company or of one of its marketplaces isn't valid. */
export type NotClosed = UnknownCompany | Marketplaces.RegistrationRejected | Marketplaces.UnknownMarketplace

/** The slugs of the company's marketplaces, and the number of its agreements that were paused or resumed. */
export interface Affected {
  readonly marketplaces: ReadonlyArray<string>
  readonly agreements: number
}

/** The form of a location's code. Codes are in URLs, on labels, and in the keys of levels. */
const codePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/
/** The greatest handling time: the hours of a year. Within it, an order's time plus its handling time is a valid date. */
const longestHandling = 8_760

/** All faults of a company and its locations. `known` are the locations that the company already has. */
export const violationsOf = (
  company: Company,
  locations: ReadonlyArray<Omit<Location, "companyId">>,
  known: ReadonlyArray<Location>
): ReadonlyArray<Violation> => {
  const violations: Array<Violation> = []
  const require = (fine: boolean, path: ReadonlyArray<PropertyKey>, message: string, code = "INVALID_VALUE") => {
    if (!fine) violations.push({ path: pointer(path), code, message })
  }
  const isName = (name: string) => Text.isLine(name, 300)
  const line = "must be one line of 1 to 300 characters"
  require(Number.isSafeInteger(company.id) && company.id > 0, ["id"], "must be a whole number from 1")
  require(isName(company.name), ["name"], line)
  require(isName(company.legalName), ["legalName"], line)
  const codes = new Set<string>()
  for (const [at, { address, code, currency, handlingHours, name }] of locations.entries()) {
    const expect = (fine: boolean, field: string | ReadonlyArray<string>, message: string, code?: string) =>
      require(fine, ["locations", at, field].flat(), message, code)
    expect(codePattern.test(code), "code", "must be 1 to 64 letters, digits, dots, hyphens or underscores")
    expect(!codes.has(code), "code", "appears twice", "DUPLICATE_RECORD")
    codes.add(code)
    expect(isName(name), "name", line)
    expect(Money.exponent(currency) !== undefined, "currency", "is not an ISO 4217 currency", "INVALID_CURRENCY")
    const kept = known.find((one) => one.code === code)?.currency ?? currency
    const stays = `must stay ${kept}: the location's prices and orders are in it`
    expect(kept === currency, "currency", stays, "CURRENCY_MISMATCH")
    const isHours = Number.isInteger(handlingHours) && handlingHours >= 1 && handlingHours <= longestHandling
    expect(isHours, "handlingHours", `must be a whole number from 1 to ${longestHandling}`)
    const { gstin: sent = null, ...lines } = address ?? {}
    for (const [field, text] of Object.entries(lines)) {
      const isFine = !text || Text.isLine(text, Text.maxLength)
      expect(isFine, ["address", field], `must be one line of at most ${Text.maxLength} characters`)
    }
    const gstin = Gstin.normalized(sent)
    const isGstin = gstin === null || Gstin.isGstin(gstin)
    expect(isGstin, ["address", "gstin"], "must be a GSTIN of 15 characters, such as 29ABCDE1234F1Z5")
  }
  return violations
}

/** The location to register. Values that `given` omits are taken from the known location. */
export const located = (given: typeof OperatorRecords.LocationRecord.Type, known: ReadonlyArray<Location>) => {
  const { address = null, handlingHours = 24 } = known.find(({ code }) => code === given.code) ?? {}
  return { ...given, handlingHours: given.handlingHours ?? handlingHours, address: given.address ?? address }
}

const rejected = (violations: ReadonlyArray<Violation>) =>
  violations.length === 0 ? Effect.void : new CompanyRejected({ violations })

const withGstin = <A extends Pick<Location, "address">>({ address, ...location }: A) => ({
  ...location,
  address: address === null ? null : { ...address, gstin: Gstin.normalized(address.gstin) }
})

type Own = Pick<Company, "customFields">

const withFields = <A extends Own>(one: A, of: (values: CustomFields.Values) => Own): Omit<A, "customFields"> & Own => {
  const { customFields, ...rest } = one
  return customFields === undefined ? rest : { ...rest, ...of(customFields) }
}

/** Makes the service of companies. */
export const make = Effect.gen(function* () {
  const directory = yield* Directory
  const log = yield* AuditStore
  const { run } = yield* CompanyWrite.CompanyWrite
  const marketplaceStore = yield* MarketplaceStore
  const marketplaces = yield* Marketplaces.Marketplaces
  const billing = yield* Billing.Billing
  const transaction = yield* Transaction.Transaction
  const fields = yield* CustomFields.Policy

  const takenOf = (record: "company" | "location") => (values: CustomFields.Values) => fields.taken(record, values)
  const keptOf = (record: "company" | "location") => (values: CustomFields.Values) => ({
    customFields: fields.kept(record, values)
  })

  /** The faults of the custom fields after the change. If `sent` has no custom fields, the stored ones stay. */
  const faultsOf = (record: "company" | "location", sent: Own, stored: Own | undefined, path: string) =>
    fields.declared[record] === undefined
      ? []
      : fields.faultsOf(record, sent.customFields ?? stored?.customFields, `${path}/customFields`)

  const register: typeof Companies.Service.register = (caller, sentCompany, sent) => {
    const company = withFields(sentCompany, takenOf("company"))
    const locations = sent.map((one) => withFields(withGstin(one), takenOf("location")))
    const shown = withFields(company, keptOf("company"))
    const shownLocations = locations.map((one) => withFields(one, keptOf("location")))
    const own = shownLocations.flatMap(({ code, customFields }) =>
      customFields === undefined ? [] : [[code, customFields]]
    )
    return run(caller, {
      // A new company has no row to lock, so its row is written first. A rejection undoes that.
      load: Effect.gen(function* () {
        yield* rejected(violationsOf(company, locations, []))
        const before = yield* directory.company(company.id)
        yield* directory.putCompanies([company])
        return before
      }),
      lockFirst: () => [company.id],
      decide: Effect.fnUntraced(function* (before) {
        const known = yield* directory.locations([company.id])
        yield* rejected([
          ...violationsOf(company, locations, known),
          ...faultsOf("company", company, before, ""),
          ...locations.flatMap((one, at) => {
            const stored = known.find(({ code }) => code === one.code)
            return faultsOf("location", one, stored, `/locations/${at}`)
          })
        ])
        // Another host may have registered the company after the lookup. Then its audit trail already has a change.
        const [head] = yield* log.heads([company.id])
        const isNew = before === undefined && head?.sequence === 0
        return {
          answer: undefined,
          changes: [
            {
              companyId: company.id,
              entity: { type: "company", id: String(company.id), action: isNew ? "create" : "update" },
              save: () =>
                Effect.as(directory.putLocations(locations.map((one) => ({ ...one, companyId: company.id }))), {
                  logs: { request: { company: shown, locations: shownLocations }, response: null },
                  events: [
                    CompanyEvent.draft(EventTypes.registered, {
                      isNew,
                      locations: locations.map(({ code }) => code),
                      ...Struct.pick(shown, ["customFields"]),
                      ...(own.length > 0 && { locationFields: Object.fromEntries(own) })
                    })
                  ]
                })
            }
          ]
        }
      })
    })
  }

  const saveClosed = (caller: Caller, id: CompanyId, isClosed: boolean) =>
    run(caller, {
      load: Effect.void,
      lockFirst: () => [id],
      decide: Effect.fnUntraced(function* (_, at) {
        const company = yield* directory.company(id)
        if (company === undefined) return yield* new UnknownCompany({ companyId: id })
        if ((company.closedAt !== undefined) === isClosed) return CompanyWrite.nothing(undefined)
        const locations = (yield* directory.locations([id])).map(({ code }) => code)
        const save = () =>
          Effect.as(directory.setClosed(id, isClosed ? at : null), {
            logs: { request: null, response: null },
            events: [CompanyEvent.draft(isClosed ? EventTypes.closed : EventTypes.reopened, { locations })]
          })
        const entity = { type: "company", id: String(id), action: isClosed ? "close" : "reopen" }
        return { answer: undefined, changes: [{ companyId: id, entity, save }] }
      })
    })

  /** Registers the company's marketplaces again, unchanged. A registration records which companies are closed. */
  const mapAgain = Effect.fnUntraced(function* (caller: Caller, id: CompanyId) {
    // The lock waits for registrations that began before the company was closed or reopened.
    const all = yield* transaction.run(Effect.andThen(marketplaceStore.lock, marketplaceStore.all))
    const sellers = all.filter(({ locations }) => locations.some(({ companyId }) => companyId === id))
    // If one registration fails, the others still run.
    const outcomes = yield* Effect.forEach(sellers, ({ slug }) =>
      Effect.result(marketplaces.amend(caller, slug, (current) => current))
    )
    yield* Effect.fromResult(Result.all(outcomes))
    return sellers.map(({ slug }) => slug)
  })

  const closing = (isClosed: boolean) =>
    Effect.fnUntraced(function* (caller: Caller, id: CompanyId) {
      yield* saveClosed(caller, id, isClosed)
      const agreements = yield* billing.followClosing(caller, id)
      return { marketplaces: yield* mapAgain(caller, id), agreements }
    })

  const find: typeof Companies.Service.find = Effect.fnUntraced(function* (id) {
    const company = yield* directory.company(id)
    if (company === undefined) return yield* new UnknownCompany({ companyId: id })
    return { company, locations: yield* directory.locations([id]) }
  })

  return Companies.of({ register, find, close: closing(true), reopen: closing(false) })
})

/** The layer of the service. */
export const layer = Layer.effect(Companies, make)
