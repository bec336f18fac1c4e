/** `crossdock marketplace`: the marketplaces, and how far each has been notified of stock. */
import { Directory } from "@crossdock/access"
import { OperatorRecords } from "@crossdock/http"
import { companiesOf, type Marketplace, MarketplaceStore, Marketplaces, StoredWebhook } from "@crossdock/marketplaces"
import { Notifications } from "@crossdock/notifications"
import { Effect } from "effect"
import * as Answer from "../Answer.ts"
import { CommandFailure, found } from "../CommandFailure.ts"
import * as CommandLine from "../CommandLine.ts"
import { caller, define } from "../Management.ts"
import * as StoredSecrets from "../StoredSecrets.ts"
import * as TextFile from "../TextFile.ts"
import * as Account from "./Account.ts"
import * as Company from "./Company.ts"

const slug = CommandLine.argument("slug", "the marketplace, by its slug")

export const find = (slug: string) =>
  Effect.flatMap(MarketplaceStore, (store) => store.find(slug)).pipe(
    Effect.flatMap((one) => found(one, `marketplace ${JSON.stringify(slug)}`, "marketplace list"))
  )

const withoutSecrets = (marketplace: Marketplace) => ({
  ...marketplace,
  webhook: marketplace.webhook === null ? null : { url: marketplace.webhook.url }
})

const signIn = Account.signIn({
  group: "marketplace",
  key: "slug",
  argument: slug,
  example: "night-market",
  disables:
    "Stops a marketplace from signing in, and so from ordering. Its tokens end within 5 seconds. The marketplace is still notified of stock; remove its webhook to stop this.",
  find: (slug) => Effect.as(find(slug), slug),
  setEnabled: (slug, enabled) => Effect.flatMap(Marketplaces.Marketplaces, (_) => _.setEnabled(caller, slug, enabled)),
  setPassword: (slug, password) =>
    Effect.flatMap(Marketplaces.Marketplaces, (_) => _.setPassword(caller, slug, password))
})

export const command = CommandLine.group("marketplace", "Marketplaces, and the notifications of stock that they get.", [
  define({
    name: "add",
    does: "Adds or changes a marketplace from a registration file. A password or webhook secret that the file omits doesn't change; a replaced secret stays valid for one more day.",
    examples: ["marketplace add night-market.json"],
    options: { file: CommandLine.argument("file", "the registration, as JSON; - is standard input") },
    *run({ file }) {
      const registration = yield* TextFile.readAs(file, OperatorRecords.MarketplaceRecord, "a registration")
      const { register } = yield* Marketplaces.Marketplaces
      const marketplace = yield* register(caller, registration)
      return Answer.sentence(
        `Marketplace ${marketplace.slug} sells from ${Answer.counted(marketplace.locations.length, "location")}.`,
        withoutSecrets(marketplace)
      )
    }
  }),
  define({
    name: "list",
    does: "Lists all marketplaces with their locations and webhooks.",
    examples: ["marketplace list", "marketplace list --json"],
    *run() {
      const accounts = yield* (yield* Directory).accounts("marketplace")
      const isEnabled = new Map(accounts.map(({ enabled, username }) => [username, enabled]))
      const all = (yield* (yield* MarketplaceStore).all).map((one) => ({
        ...withoutSecrets(one),
        enabled: isEnabled.get(one.slug) ?? false
      }))
      const shown = all.map(({ locations, webhook, ...rest }) => ({
        ...rest,
        locations: locations.map(({ code }) => code),
        webhook: webhook?.url
      }))
      return Answer.table(shown, ["slug", "name", "currency", "locations", "webhook", "enabled"], all)
    }
  }),
  ...signIn,
  define({
    name: "rotate-secret",
    does: "Gives a marketplace's webhook a new secret and prints it once. For one day, the old secret signs notifications too.",
    examples: ["marketplace rotate-secret night-market"],
    options: { slug, lost: StoredSecrets.lost },
    *run({ lost, slug }) {
      const marketplace = yield* find(slug)
      if (marketplace.webhook === null) return yield* new CommandFailure(`${slug} has no webhook, so it has no secret`)
      const { url } = marketplace.webhook
      const isKept = yield* StoredSecrets.isReadable(StoredWebhook.placeOf(slug), marketplace.webhook, lost)
      const secret = yield* StoredSecrets.random
      yield* (yield* Marketplaces.Marketplaces).amend(caller, slug, (current) => ({
        ...current,
        webhook: { url, secret, authentication: isKept ? null : { type: "none" } }
      }))
      if (isKept) return Answer.record({ slug, secret })
      return Answer.record({
        slug,
        secret,
        stored: yield* StoredSecrets.storedAs,
        next: "its authentication was encrypted too and is lost: set it with crossdock marketplace add"
      })
    }
  }),
  define({
    name: "status",
    does: "Shows a marketplace's progress: the newest accepted change, how often and why the next change was rejected, the time of the next try, and SKUs that were rejected individually and are retried separately.",
    examples: ["marketplace status night-market"],
    options: { slug },
    *run({ slug }) {
      const progress = yield* (yield* Notifications.Notifications).progress(yield* find(slug))
      const shown = progress.map((one) => ({
        ...one,
        nextAt: Answer.time(one.nextAt),
        setAside: one.setAside.map(({ location, sku }) => `${sku} at ${location}`).join(", ")
      }))
      const table = Answer.table(shown, [
        "companyId",
        "lastNotified",
        "lastChange",
        "hasPending",
        "notifications",
        "failures",
        "failure",
        "nextAt",
        "setAside",
        "deadLetters"
      ])
      return { ...table, json: progress }
    }
  }),
  define({
    name: "wake",
    does: "Retries rejected notifications now instead of within the hour. Use it once the marketplace is reachable again.",
    examples: ["marketplace wake night-market"],
    options: { slug },
    *run({ slug }) {
      yield* (yield* Notifications.Notifications).wake(caller, (yield* find(slug)).slug)
      return Answer.sentence(`The rejected notifications of ${slug} are being sent again.`, { slug })
    }
  }),
  define({
    name: "reconcile",
    does: "Resends all stock to a marketplace. Use it if the marketplace lost its data, or if the database was restored.",
    examples: ["marketplace reconcile night-market"],
    options: { slug },
    *run({ slug }) {
      const one = yield* find(slug)
      if (one.webhook === null) return yield* new CommandFailure(`${slug} has no webhook, so nothing can be sent to it`)
      const companies = companiesOf(one)
      yield* (yield* Notifications.Notifications).reconcile(caller, slug, companies)
      return Answer.sentence(
        `The stock of ${Answer.counted(companies.length, "company", "companies")} is being sent to ${slug} again.`,
        { slug, companies }
      )
    }
  }),
  define({
    name: "dead-letters",
    does: "Lists a marketplace's dead letters: notifications that it rejected for three days.",
    examples: ["marketplace dead-letters night-market"],
    options: { slug },
    *run({ slug }) {
      const letters = yield* (yield* Notifications.Notifications).deadLetters((yield* find(slug)).slug)
      const shown = letters.map((one) => ({ ...one, at: Answer.time(one.at) }))
      return Answer.table(shown, ["companyId", "id", "failure", "at"], letters)
    }
  }),
  define({
    name: "resend",
    does: "Sends a dead letter again, with current quantities.",
    examples: ["marketplace resend night-market 7 msg_1"],
    options: { slug, company: Company.companyId, id: CommandLine.argument("id", "the dead letter's id") },
    *run({ company: companyId, id, slug }) {
      const { slug: marketplace } = yield* find(slug)
      if (!(yield* (yield* Notifications.Notifications).resend(caller, { marketplace, companyId }, id)))
        return yield* new CommandFailure(
          `There is no dead letter ${id} of company ${companyId}. "crossdock marketplace dead-letters ${marketplace}" lists them`
        )
      return Answer.sentence(`Dead letter ${id} is being sent again.`, { slug, companyId, id })
    }
  })
])
