/**
 * `crossdock import companies`, `sellers`, `marketplaces`, `brands` and `plans`: the data that a host needs at first, one
 * record per line. First the whole file is checked by the rules of the commands that add a single record. Then each record is
 * saved.
 */
import { type Caller, Directory } from "@crossdock/access"
import { BillingStore, PriceList } from "@crossdock/billing"
import { CatalogImport, ReferenceFile } from "@crossdock/catalog"
import { Export } from "@crossdock/files"
import { Accounts, Companies, SellerRegistration } from "@crossdock/host"
import { OperatorRecords } from "@crossdock/http"
import type { Violation } from "@crossdock/kernel"
import { MarketplaceStore, Marketplaces, Registration } from "@crossdock/marketplaces"
import { Effect, Result, Schema, Stream } from "effect"
import { Argument } from "effect/cli"
import * as Answer from "../Answer.ts"
import { CommandFailure } from "../CommandFailure.ts"
import * as CommandLine from "../CommandLine.ts"
import { callerAs, onDatabase, type Work } from "../Management.ts"
import * as RecordFile from "../RecordFile.ts"
import { Terminal } from "../Terminal.ts"
import * as Account from "./Account.ts"
import { written } from "./Audit.ts"

/** The result of checking a record or a file. The paths of violations begin with a record's index. */
interface Judged {
  readonly violations: ReadonlyArray<Violation>
  /** The work that saves records. Each piece has its own transactions and can be repeated. */
  readonly save: ReadonlyArray<Work<unknown>>
  /** New accounts with their passwords. They are written to a file before anything is saved. */
  readonly secrets?: ReadonlyArray<object>
}

const { repeated, under } = SellerRegistration

type Judge<A> = (records: ReadonlyArray<A>, caller: Caller) => Work<Judged>

/** The number of records saved at once, so that password hashes use all cores and writes share commits. */
const concurrency = 8

const command = <S extends Schema.ConstraintDecoder<unknown>>(
  name: string,
  does: string,
  schema: S,
  judge: Judge<S["Type"]>
) =>
  CommandLine.define({
    name,
    does: `Imports ${does}. If the file has errors, all are reported and nothing is imported. Safe to repeat.`,
    examples: [`import ${name} --example > ${name}.csv`, `import ${name} ${name}.csv`],
    options: {
      file: RecordFile.file.pipe(Argument.withDefault("")),
      example: CommandLine.toggle("example", "only prints an example file"),
      dryRun: CommandLine.toggle("dry-run", "only reports the file's errors"),
      as: CommandLine.optional("as", "the operator named in audit records (default: the command line)"),
      passwords: CommandLine.optional("passwords", "a new file for generated passwords (default: FILE.passwords.jsonl)")
    },
    *run({ as, dryRun, example, file, passwords }) {
      if (example) {
        yield* (yield* Terminal).write(RecordFile.example(name))
        return undefined
      }
      if (file === "") return yield* new CommandFailure("Name the file. Add --example to print one that works")
      const { all, failed } = yield* RecordFile.records(file, schema)
      return yield* onDatabase(
        Effect.gen(function* () {
          const { save, secrets = [], violations } = yield* judge(all, yield* callerAs(as))
          if (violations.length > 0) return yield* failed(violations)
          const [records, accounts] = [all.length, secrets.length]
          if (dryRun) return Answer.sentence(`${Answer.counted(records, "record")}, no errors`, { records })
          const out = passwords ?? `${file}.passwords.jsonl`
          if (accounts > 0) yield* written(out, Export.jsonl(Stream.fromIterable(secrets)))
          yield* Effect.forEach(save, (one) => one, { concurrency, discard: true })
          const more = accounts === 0 ? "" : `; passwords of ${Answer.counted(accounts, "account")} are in ${out}`
          return Answer.sentence(`${Answer.counted(records, "record")} imported${more}`, { records, accounts })
        })
      )
    }
  })

const { CompanyRecord, MarketplaceRecord, SellerLine } = OperatorRecords

const companies: Judge<typeof CompanyRecord.Type> = (records, caller) =>
  Effect.map(Companies.Companies, ({ register }) => ({
    violations: [
      ...repeated("id", records),
      ...records.flatMap((company, at) => under(at, Companies.violationsOf(company, [], [])))
    ],
    save: records.map((company) => register(caller, company, []))
  }))

const sellers: Judge<typeof SellerLine.Type> = Effect.fnUntraced(function* (records, caller) {
  const accounts = yield* Accounts.Accounts
  const given = yield* Effect.forEach(records, (one) =>
    Effect.map(Account.randomPassword, (password) => ({ ...one, password, generated: true }))
  )
  const { each, violations } = yield* SellerRegistration.judged(accounts, caller, given)
  const secrets = given.flatMap(({ id: company, password, username }, at) =>
    each[at]?.isNew === true ? [{ company, username, password }] : []
  )
  return { violations, secrets, save: each.map(({ save }) => save) }
})

const marketplaces: Judge<typeof MarketplaceRecord.Type> = Effect.fnUntraced(function* (records, caller) {
  const directory = yield* Directory
  const { register } = yield* Marketplaces.Marketplaces
  const named = [...new Set(records.flatMap(({ locations }) => locations.map(({ companyId }) => companyId)))]
  const locations = named.length === 0 ? [] : yield* directory.locations(named)
  const accounts = new Set((yield* directory.accounts("marketplace")).map(({ username }) => username))
  const stored = new Map((yield* (yield* MarketplaceStore).all).map((one) => [one.slug, one]))
  const faults = records.flatMap((registration, at) => {
    const { slug } = registration
    const has = { password: accounts.has(slug), secret: (stored.get(slug)?.webhook ?? null) !== null }
    return under(at, Registration.violationsOf(registration, locations, has))
  })
  const save = records.map((registration) => register(caller, registration))
  return { violations: [...repeated("slug", records), ...faults], save }
})

const Brand = Schema.Struct({ uid: Schema.Int, name: Schema.String, company_id: Schema.Int })

const none = { departments: [], categories: [], templates: [], attributes: [], hsCodes: [], taxRules: [] }

const brands: Judge<typeof Brand.Type> = (brands) =>
  Effect.map(CatalogImport.CatalogImport, ({ reference }) =>
    Result.match(ReferenceFile.decode({ ...none, brands }), {
      onFailure: (found) => ({
        violations: found.map((one) => ({ ...one, path: one.path.replace("/brands", "") })),
        save: []
      }),
      onSuccess: ([data, all]) => ({ violations: [], save: [reference(data, all)] })
    })
  )

const plans: Judge<typeof PriceList.PlanInput.Type> = Effect.fnUntraced(function* (records) {
  const { planOf } = yield* PriceList.make
  const { putPlans } = yield* BillingStore
  const each = yield* Effect.forEach(records, (record, at) =>
    planOf(record).pipe(
      Effect.map((plan) => ({ plans: [plan], violations: [] })),
      Effect.catchTag("BillingRejected", ({ violations }) =>
        Effect.succeed({ plans: [], violations: under(at, violations) })
      )
    )
  )
  const faults = each.flatMap(({ violations }) => violations)
  return { violations: [...repeated("id", records), ...faults], save: [putPlans(each.flatMap(({ plans }) => plans))] }
})

export const commands = [
  command("companies", "companies", CompanyRecord, companies),
  command(
    "sellers",
    "sellers: each a company with its locations, and an account with a generated password. An existing account doesn't change",
    SellerLine,
    sellers
  ),
  command("marketplaces", "marketplaces, with the fields of `marketplace add`", MarketplaceRecord, marketplaces),
  command("brands", "brands of companies", Brand, brands),
  command("plans", "plans, with the fields of `plan add`", PriceList.PlanInput, plans)
] as const
