/**
 * `crossdock marketplace`: the marketplaces, and how far each was notified of stock.
 */
import { Directory } from "@crossdock/access"
import { companiesOf, type Marketplace, MarketplaceStore, Marketplaces } from "@crossdock/marketplaces"
import { Notifications } from "@crossdock/notifications"
import { Effect } from "effect"
import { Argument } from "effect/cli"
import * as Answer from "../Answer.ts"
import { CommandFailure } from "../CommandFailure.ts"
import * as CommandLine from "../CommandLine.ts"
import { caller, onDatabase } from "../Management.ts"
import * as Password from "../Password.ts"
import { RegistrationFile } from "../RegistrationFile.ts"
import * as TextFile from "../TextFile.ts"
import * as Company from "./Company.ts"

const slug = Argument.String("slug").pipe(Argument.withDescription("the marketplace, by its slug"))

/** The marketplace with this slug. */
export const find = (slug: string) =>
  Effect.gen(function* () {
    const found = yield* (yield* MarketplaceStore).find(slug)
    return (
      found ??
      (yield* new CommandFailure({
        message: `There is no marketplace ${JSON.stringify(slug)}. "crossdock marketplace list" shows all of them`
      }))
    )
  })

/** A marketplace without its secrets. */
const withoutSecrets = (marketplace: Marketplace) => ({
  ...marketplace,
  webhook: marketplace.webhook === null ? null : { url: marketplace.webhook.url }
})

const add = CommandLine.define({
  name: "add",
  does: "Adds a marketplace from a registration file, or changes it. What the file leaves out of its password and webhook secret stays; a replaced secret is valid for one more day.",
  examples: ["marketplace add night-market.json"],
  options: {
    file: Argument.String("file").pipe(Argument.withDescription("the registration, as JSON; - is standard input"))
  },
  run: ({ file }) =>
    onDatabase(
      Effect.gen(function* () {
        const registration = yield* TextFile.readAs(file, RegistrationFile, "a registration")
        const { register } = yield* Marketplaces.Marketplaces
        const marketplace = yield* register(caller, registration)
        return Answer.sentence(
          `Marketplace ${marketplace.slug} sells from ${marketplace.locations.length} locations.`,
          withoutSecrets(marketplace)
        )
      })
    )
})

const list = CommandLine.define({
  name: "list",
  does: "Shows all marketplaces, and what each is connected to.",
  examples: ["marketplace list", "marketplace list --json"],
  options: {},
  run: () =>
    onDatabase(
      Effect.gen(function* () {
        const accounts = yield* (yield* Directory).accounts("marketplace")
        const isEnabled = new Map(accounts.map(({ enabled, username }) => [username, enabled]))
        const all = (yield* (yield* MarketplaceStore).all).map((one) => ({
          ...withoutSecrets(one),
          enabled: isEnabled.get(one.slug) ?? false
        }))
        const shown = Answer.table(
          all.map(({ locations, webhook, ...rest }) => ({
            ...rest,
            locations: locations.map(({ code }) => code),
            webhook: webhook?.url
          })),
          ["slug", "name", "currency", "locations", "webhook", "enabled"]
        )
        return { ...shown, json: all }
      })
    )
})

const enabling = (enabled: boolean) =>
  CommandLine.define({
    name: enabled ? "enable" : "disable",
    does: enabled
      ? "Lets a marketplace sign in again."
      : "Lets a marketplace sign in no longer: it can't order. Its tokens end within 5 seconds. It is still notified of stock until its registration has no webhook.",
    examples: [`marketplace ${enabled ? "enable" : "disable"} night-market`],
    options: { slug },
    run: ({ slug }) =>
      onDatabase(
        Effect.gen(function* () {
          yield* find(slug)
          yield* (yield* Marketplaces.Marketplaces).setEnabled(caller, slug, enabled)
          return Answer.sentence(`${slug} ${enabled ? "can sign in" : "can't sign in any more"}.`, { slug, enabled })
        })
      )
  })

const setPassword = CommandLine.define({
  name: "set-password",
  does: "Gives a marketplace a new password. Tokens that it has end within 5 seconds.",
  examples: ["marketplace set-password night-market --generate"],
  options: { slug, generate: Password.generate },
  run: ({ generate, slug }) =>
    onDatabase(
      Effect.gen(function* () {
        yield* find(slug)
        const { password, shown } = yield* Password.choose(generate)
        yield* (yield* Marketplaces.Marketplaces).setPassword(caller, slug, password)
        return Answer.record({ slug, ...shown })
      })
    )
})

const status = CommandLine.define({
  name: "status",
  does: "Shows how far a marketplace was notified, how often it rejected, and when the next try is.",
  examples: ["marketplace status night-market"],
  options: { slug },
  run: ({ slug }) =>
    onDatabase(
      Effect.gen(function* () {
        const progress = yield* (yield* Notifications.Notifications).progress(yield* find(slug))
        const shown = progress.map((one) => ({ ...one, nextAt: Answer.time(one.nextAt) }))
        const table = Answer.table(shown, [
          "companyId",
          "lastNotified",
          "lastChange",
          "hasPending",
          "notifications",
          "failures",
          "failure",
          "nextAt",
          "deadLetters"
        ])
        return { ...table, json: progress }
      })
    )
})

const wake = CommandLine.define({
  name: "wake",
  does: "Sends rejected notifications now instead of in up to an hour, once the marketplace is reachable again.",
  examples: ["marketplace wake night-market"],
  options: { slug },
  run: ({ slug }) =>
    onDatabase(
      Effect.gen(function* () {
        yield* (yield* Notifications.Notifications).wake((yield* find(slug)).slug)
        return Answer.sentence(`What ${slug} rejected is due now.`, { slug })
      })
    )
})

const reconcile = CommandLine.define({
  name: "reconcile",
  does: "Sends a marketplace all stock again: after it lost its data, or the database was restored.",
  examples: ["marketplace reconcile night-market"],
  options: { slug },
  run: ({ slug }) =>
    onDatabase(
      Effect.gen(function* () {
        const companies = companiesOf(yield* find(slug))
        yield* (yield* Notifications.Notifications).reconcile(caller, slug, companies)
        return Answer.sentence(`The stock of ${companies.length} companies is sent to ${slug} again.`, {
          slug,
          companies
        })
      })
    )
})

const deadLetters = CommandLine.define({
  name: "dead-letters",
  does: "Shows the notifications that a marketplace rejected for three days.",
  examples: ["marketplace dead-letters night-market"],
  options: { slug },
  run: ({ slug }) =>
    onDatabase(
      Effect.gen(function* () {
        const letters = yield* (yield* Notifications.Notifications).deadLetters((yield* find(slug)).slug)
        const shown = letters.map((one) => ({ ...one, at: Answer.time(one.at) }))
        return { ...Answer.table(shown, ["companyId", "id", "failure", "at"]), json: letters }
      })
    )
})

const resend = CommandLine.define({
  name: "resend",
  does: "Sends a dead letter again, with the present quantities.",
  examples: ["marketplace resend night-market 7 msg_1"],
  options: {
    slug,
    company: Company.companyId,
    id: Argument.String("id").pipe(Argument.withDescription("the dead letter's id"))
  },
  run: ({ company: companyId, id, slug }) =>
    onDatabase(
      Effect.gen(function* () {
        const { slug: marketplace } = yield* find(slug)
        if (!(yield* (yield* Notifications.Notifications).resend({ marketplace, companyId }, id)))
          return yield* new CommandFailure({
            message: `There is no dead letter ${id} of company ${companyId}. "crossdock marketplace dead-letters ${marketplace}" shows all of them`
          })
        return Answer.sentence(`Dead letter ${id} is sent again.`, { slug, companyId, id })
      })
    )
})

export const command = CommandLine.group("marketplace", "The marketplaces, and how far each was notified of stock.", [
  add,
  list,
  enabling(false),
  enabling(true),
  setPassword,
  status,
  wake,
  reconcile,
  deadLetters,
  resend
])
