/**
 * `npm run admin -- <command>`: manages marketplaces and their notifications, locks shipments and erases orders, in the database of
 * DATABASE_URL. Hosts may run on it meanwhile.
 */
import "./NodeVersion.ts"
import { readFileSync } from "node:fs"
import { CompanyWrite } from "@crossdock/audit"
import { DigestNode, PasswordHashScrypt } from "@crossdock/crypto"
import { CompanyId, Ids } from "@crossdock/kernel"
import { companiesOf, MarketplaceStore, Marketplaces } from "@crossdock/marketplaces"
import { Notifications } from "@crossdock/notifications"
import { Cause, Data, Effect, Exit, Layer, Result, Schema } from "effect"
import * as OrderErasures from "./OrderErasures.ts"
import * as RegistrationFile from "./RegistrationFile.ts"
import * as Settings from "./Settings.ts"
import { setLocked } from "./ShipmentLocks.ts"
import * as Storage from "./Storage.ts"

const usage = `npm run admin -- <command>

  list                              shows all marketplaces and what each is connected to
  register FILE                     adds or changes a marketplace; FILE is JSON, - is standard input
  status SLUG                       shows how far its notifications are, and its failed tries
  wake SLUG                         retries rejected notifications now
  reconcile SLUG                    resends all stock
  dead-letters SLUG                 shows the notifications that were given up
  resend SLUG COMPANY ID            resends a dead letter
  lock COMPANY SHIPMENT...          blocks every move of these shipments
  unlock COMPANY SHIPMENT...        lets these shipments move again
  erase-order SLUG ORDER            erases the personal data of a marketplace's order, by our id
`

class CommandFailure extends Data.TaggedError("CommandFailure")<{ readonly message: string }> {}

const caller = { principal: { kind: "system", id: "admin" }, requestId: null } as const

const print = (value: unknown) => Effect.sync(() => process.stdout.write(`${JSON.stringify(value, null, 2)}\n`))

const marketplaceOf = (slug = "") =>
  Effect.gen(function* () {
    const found = yield* (yield* MarketplaceStore).find(slug)
    return (
      found ??
      (yield* new CommandFailure({
        message: `There is no marketplace ${JSON.stringify(slug)}. "list" shows all of them`
      }))
    )
  })

const read = (file = "") =>
  Effect.try({
    try: () => readFileSync(file === "-" ? 0 : file, "utf8"),
    catch: () => new CommandFailure({ message: `The file ${JSON.stringify(file)} can't be read. Check its path` })
  })

/** A marketplace without its secrets. */
const withoutSecrets = (marketplace: Effect.Success<ReturnType<typeof marketplaceOf>>) => ({
  ...marketplace,
  webhook: marketplace.webhook === null ? null : { url: marketplace.webhook.url }
})

const locking =
  (locked: boolean): Command =>
  ([company = "", ...shipments]) =>
    Effect.gen(function* () {
      if (!/^\d{1,15}$/.test(company) || shipments.length === 0) return yield* new CommandFailure({ message: usage })
      const { databaseUrl } = yield* Settings.read(process.env)
      const { failures, succeeded } = yield* setLocked(databaseUrl, Number(company), shipments, locked)
      yield* print({ succeeded, failures: failures.map(({ message }) => message) })
    })

type Command = (
  args: ReadonlyArray<string>
) => Effect.Effect<void, unknown, MarketplaceStore | Marketplaces.Marketplaces | Notifications.Notifications>

const commands: Readonly<Record<string, Command>> = {
  lock: locking(true),
  unlock: locking(false),
  "erase-order": ([slug = "", order = ""]) =>
    Effect.gen(function* () {
      const { databaseUrl } = yield* Settings.read(process.env)
      yield* print({ erased: yield* OrderErasures.erase(databaseUrl, slug, order) })
    }),
  list: () =>
    Effect.gen(function* () {
      yield* print((yield* (yield* MarketplaceStore).all).map(withoutSecrets))
    }),
  register: ([file]) =>
    Effect.gen(function* () {
      const registration = yield* RegistrationFile.read(yield* read(file)).pipe(
        Result.mapError((message) => new CommandFailure({ message })),
        Effect.fromResult
      )
      yield* print(withoutSecrets(yield* (yield* Marketplaces.Marketplaces).register(caller, registration)))
    }),
  status: ([slug]) =>
    Effect.gen(function* () {
      yield* print(yield* (yield* Notifications.Notifications).progress(yield* marketplaceOf(slug)))
    }),
  wake: ([slug]) =>
    Effect.gen(function* () {
      yield* (yield* Notifications.Notifications).wake((yield* marketplaceOf(slug)).slug)
    }),
  reconcile: ([slug]) =>
    Effect.gen(function* () {
      const marketplace = yield* marketplaceOf(slug)
      const companies = companiesOf(marketplace)
      yield* (yield* Notifications.Notifications).reconcile(caller, marketplace.slug, companies)
    }),
  "dead-letters": ([slug]) =>
    Effect.gen(function* () {
      yield* print(yield* (yield* Notifications.Notifications).deadLetters((yield* marketplaceOf(slug)).slug))
    }),
  resend: ([slug, company = "", id = ""]) =>
    Effect.gen(function* () {
      const { slug: marketplace } = yield* marketplaceOf(slug)
      const companyId = Number(company)
      const { resend } = yield* Notifications.Notifications
      if (!Schema.is(CompanyId)(companyId) || !(yield* resend({ marketplace, companyId }, id)))
        return yield* new CommandFailure({
          message: `There is no dead letter ${id} of company ${company}. "dead-letters ${marketplace}" shows all of them`
        })
    })
}

const services = (databaseUrl: string) =>
  Marketplaces.layer.pipe(
    Layer.provideMerge(Notifications.layer),
    Layer.provideMerge(CompanyWrite.layer),
    Layer.provideMerge(
      Layer.mergeAll(Storage.layer(databaseUrl), PasswordHashScrypt.layer(), DigestNode.layer, Ids.layer)
    )
  )

const [name = "", ...args] = process.argv.slice(2)
const command = Object.hasOwn(commands, name) ? commands[name] : undefined

const program = Effect.gen(function* () {
  if (command === undefined) return yield* new CommandFailure({ message: usage })
  const { databaseUrl } = yield* Settings.read(process.env)
  yield* command(args).pipe(Effect.provide(services(databaseUrl)))
})

const exit = await Effect.runPromiseExit(Effect.scoped(program))
if (Exit.isFailure(exit)) {
  const failure = Cause.findErrorOption(exit.cause)
  const message =
    failure._tag === "Some" && failure.value instanceof Error ? failure.value.message : Cause.pretty(exit.cause)
  process.stderr.write(`${message}\n`)
}
process.exit(Exit.isSuccess(exit) ? 0 : 1)
