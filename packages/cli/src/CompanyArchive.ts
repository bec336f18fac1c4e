/** Moves a company to another database as an `ArchiveFile`: a line per page of a table, and last the numbers of rows. */
import { type Company, Directory } from "@crossdock/access"
import { AuditTrail } from "@crossdock/audit"
import { BillingStore } from "@crossdock/billing"
import { Inventory } from "@crossdock/inventory"
import { CompanyId, Transaction } from "@crossdock/kernel"
import { type Marketplace, MarketplaceStore, Registration } from "@crossdock/marketplaces"
import { WebhookSecrets } from "@crossdock/notifications"
import { CompanyRows, Migrations } from "@crossdock/storage-sql"
import { Clock, Effect, Schema, Stream } from "effect"
import * as Answer from "./Answer.ts"
import * as ArchiveFile from "./ArchiveFile.ts"
import { CommandFailure } from "./CommandFailure.ts"

const Mapping = Schema.Struct({ companyId: CompanyId, location: Schema.String, code: Schema.String })

/** A company's part of a marketplace. */
const Part = Schema.Struct({
  slug: Schema.String,
  locations: Schema.Array(Mapping),
  retiredCodes: Schema.Array(Mapping),
  buffers: Schema.Array(
    Schema.Struct({
      companyId: Schema.NullOr(CompanyId),
      location: Schema.NullOr(Schema.String),
      sku: Schema.NullOr(Schema.String),
      quantity: Schema.Int
    })
  )
})

const Header = Schema.Struct({
  format: Schema.Literal(1),
  at: Schema.Int,
  migrations: Schema.Int,
  company: CompanyId,
  name: Schema.String,
  marketplaces: Schema.Array(Part)
})

const Counts = Schema.Record(Schema.String, Schema.Int)
type Counts = typeof Counts.Type

const Page = Schema.fromJsonString(
  Schema.Struct({
    table: Schema.String,
    columns: Schema.Array(Schema.String),
    rows: Schema.Array(Schema.Array(Schema.Union([Schema.String, Schema.Number, Schema.Null])))
  })
)

const sum = (counts: Counts) => Object.values(counts).reduce((all, one) => all + one, 0)

/** The faults of a company's stock and audit trail, each as a sentence. */
export const faultsOf = Effect.fnUntraced(function* (company: CompanyId) {
  const levels = yield* (yield* Inventory.Inventory).verify(company)
  const { broken, records } = yield* (yield* AuditTrail.AuditTrail).verify(company)
  const differing = Answer.counted(levels.length, "level differs", "levels differ")
  return {
    records,
    faults: [
      ...(levels.length > 0 ? [`company ${company}: ${differing} from the sum of movements`] : []),
      ...(broken === undefined ? [] : [`company ${company}: audit record ${broken.sequence} ${broken.reason}`])
    ]
  }
})

const verified = Effect.fnUntraced(function* (company: CompanyId) {
  const { faults, records } = yield* faultsOf(company)
  return faults.length === 0 ? records : yield* new CommandFailure(faults.join("\n"))
})

const partOf = (company: CompanyId, { buffers, locations, retiredCodes, slug }: typeof Part.Type): typeof Part.Type => {
  const own = <A extends { readonly companyId: number | null }>(all: ReadonlyArray<A>) =>
    all.filter(({ companyId }) => companyId === company)
  return { slug, locations: own(locations), retiredCodes: own(retiredCodes), buffers: own(buffers) }
}

const headerOf = Effect.fnUntraced(function* ({ id, name }: Company) {
  const all = yield* (yield* MarketplaceStore).all
  const parts = all.map((one) => partOf(id, one)).filter(({ locations }) => locations.length > 0)
  const { applied } = yield* Migrations.state
  const at = yield* Clock.currentTimeMillis
  return { format: 1, at, migrations: applied, company: id, name, marketplaces: parts } satisfies typeof Header.Type
})

/** Writes the archive of a company and returns the number of rows. Fails if the company's stock or audit trail is broken. */
export const write = Effect.fnUntraced(function* (company: Company, file: string) {
  yield* verified(company.id)
  const counts: Record<string, number> = {}
  const pages = Stream.map(CompanyRows.read(company.id), (page) => {
    counts[page.table] = (counts[page.table] ?? 0) + page.rows.length
    return JSON.stringify(page)
  })
  yield* ArchiveFile.write(file, yield* headerOf(company), pages, () => ({ rows: counts }))
  return sum(counts)
})

const damaged = (file: string, where = "") =>
  new CommandFailure(`${file} is not a whole archive of a company${where}, so nothing was imported: export it again`)

/** Adds the company's parts of marketplaces to the marketplaces in this database. */
const joinMarketplaces = Effect.fnUntraced(function* ({ company, marketplaces }: typeof Header.Type) {
  const [store, directory] = [yield* MarketplaceStore, yield* Directory]
  yield* store.lock
  const all = new Map((yield* store.all).map((one) => [one.slug, one]))
  const missing = marketplaces.filter(({ slug }) => !all.has(slug)).map(({ slug }) => slug)
  if (missing.length > 0)
    return yield* new CommandFailure(
      `The company sells on ${missing.join(", ")}, so nothing was imported: add what is missing with "crossdock marketplace add"`
    )
  const isClosed = (yield* directory.closed).includes(company)
  for (const part of marketplaces) {
    const there = all.get(part.slug)
    if (there === undefined) continue
    const next: Marketplace = {
      ...there,
      locations: [...there.locations, ...part.locations],
      retiredCodes: [...there.retiredCodes, ...part.retiredCodes],
      buffers: [...there.buffers, ...part.buffers],
      ...(isClosed && { closedCompanies: [...(there.closedCompanies ?? []), company] })
    }
    const companies = [...new Set(next.locations.map(({ companyId }) => companyId))]
    const known = yield* directory.locations(companies)
    const faults = Registration.violationsOf(Registration.of(next), known, { password: true, secret: true })
    if (faults.length > 0)
      return yield* new CommandFailure(
        `Marketplace ${part.slug} can't sell for the company, so nothing was imported: ${faults.map(({ message, path }) => `${path} ${message}`).join("; ")}`
      )
    yield* store.put(next)
  }
})

/** Checks that the database has the company's plans and the keys of its webhooks, which the archive doesn't contain. */
const checkSurroundings = Effect.fnUntraced(function* (company: CompanyId) {
  const billing = yield* BillingStore
  const planIds = (yield* billing.running(company, "plan")).map(({ entityId }) => entityId)
  const known = new Set((yield* billing.plans).map(({ id }) => id))
  const missing = planIds.filter((id) => !known.has(id))
  if (missing.length > 0)
    return yield* new CommandFailure(
      `The company has the plan ${missing.join(", ")}, so nothing was imported: add it with "crossdock plan add"`
    )
  const endpoints = (yield* (yield* WebhookSecrets.WebhookSecrets).list).filter(({ name }) =>
    name.endsWith(` of company ${company}`)
  )
  for (const { fault, name } of endpoints)
    if (fault !== null)
      return yield* new CommandFailure(`The secret of ${name} ${fault.why}, so nothing was imported: ${fault.todo}`)
})

/** Imports an archive in one transaction. It commits only if the company's stock and audit trail are intact. */
export const read = Effect.fnUntraced(function* (file: string) {
  const { first, last } = yield* ArchiveFile.checked(file, damaged(file))
  const [header, { rows: expected }] = yield* Effect.mapError(
    Effect.all([
      Schema.decodeUnknownEffect(Header)(first),
      Schema.decodeUnknownEffect(Schema.Struct({ rows: Counts }))(last)
    ]),
    () => damaged(file)
  )
  const { company, marketplaces, migrations, name } = header
  const parts = marketplaces.flatMap(({ buffers, locations, retiredCodes }) =>
    [buffers, locations, retiredCodes].flat()
  )
  if (parts.some(({ companyId }) => companyId !== company)) return yield* damaged(file)
  const { applied } = yield* Migrations.state
  if (migrations !== applied)
    return yield* new CommandFailure(
      `The archive has the schema of migration ${migrations} and the database that of ${applied}, so nothing was imported: use one release of Crossdock for both, and export again`
    )
  const work = Effect.gen(function* () {
    const rows: Record<string, number> = {}
    yield* Stream.runForEach(Stream.zipWithIndex(ArchiveFile.lines(file, damaged(file))), ([line, at]) =>
      Effect.gen(function* () {
        const page = yield* Schema.decodeEffect(Page)(line)
        yield* CompanyRows.write(company, page)
        rows[page.table] = (rows[page.table] ?? 0) + page.rows.length
      }).pipe(Effect.catchTag(["SchemaError", "PageRejected"], () => damaged(file, ` (line ${at + 2})`)))
    )
    const foreign = Object.entries(yield* CompanyRows.count(company)).some(([table, n]) => n !== (rows[table] ?? 0))
    if (foreign || JSON.stringify(rows) !== JSON.stringify(expected)) return yield* damaged(file)
    yield* joinMarketplaces(header)
    yield* checkSurroundings(company)
    yield* CompanyRows.continueNumbers(company)
    yield* CompanyRows.analyze
    const records = yield* verified(company)
    const { closedAt = null } = (yield* (yield* Directory).company(company)) ?? {}
    return { company, name, rows: sum(rows), records, levels: rows.crossdock_levels ?? 0, isClosed: closedAt !== null }
  })
  return yield* (yield* Transaction.Transaction).run(work)
})
