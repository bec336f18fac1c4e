/** `crossdock endpoint`: the endpoints of companies' backends. They receive events as webhooks. */
import type { CompanyId } from "@crossdock/kernel"
import { EventEndpoint, EventEndpointStore, EventEndpoints } from "@crossdock/notifications"
import { Effect } from "effect"
import { Argument, Flag } from "effect/cli"
import * as Answer from "../Answer.ts"
import { CommandFailure } from "../CommandFailure.ts"
import * as CommandLine from "../CommandLine.ts"
import { caller, define } from "../Management.ts"
import * as StoredSecrets from "../StoredSecrets.ts"
import * as Company from "./Company.ts"

const id = CommandLine.argument("endpoint", "the endpoint's id, such as erp")

const find = Effect.fnUntraced(function* (companyId: CompanyId, id: string) {
  return (
    (yield* (yield* EventEndpointStore).find({ companyId, id })) ??
    (yield* new CommandFailure(
      `Company ${companyId} has no endpoint ${JSON.stringify(id)}. "crossdock endpoint list --company ${companyId}" lists them`
    ))
  )
})

const everyType = "all"

const chosenTypes = (types: ReadonlyArray<string>): ReadonlyArray<string> | null =>
  types.length === 1 && types[0] === everyType ? null : types

const one = (name: "disable" | "enable" | "wake" | "remove", does: string, done: (id: string) => string) =>
  define({
    name,
    does,
    examples: [`endpoint ${name} 7 erp`],
    options: { company: Company.companyId, id },
    *run({ company: companyId, id }) {
      yield* find(companyId, id)
      yield* (yield* EventEndpoints.EventEndpoints)[name](caller, { companyId, id })
      return Answer.sentence(done(id), { companyId, id })
    }
  })

export const command = CommandLine.group("endpoint", "The endpoints that receive a company's events as webhooks.", [
  define({
    name: "add",
    does: "Adds an endpoint (an address that receives a company's events) and prints its secret once, or changes its address and types. A new endpoint receives the events from now on, or the events after --cursor. A change also retries rejected events immediately.",
    examples: [
      "endpoint add 7 erp --url https://erp.example/events",
      "endpoint add 7 erp --url https://erp.example/events --types order.placed,shipment.moved",
      "endpoint add 7 search --url https://search.example/events --cursor 0"
    ],
    options: {
      company: Company.companyId,
      id,
      url: CommandLine.text("url", "where the events are sent"),
      types: CommandLine.list(
        "types",
        `the types of events to receive, comma-separated, or ${everyType} (default: all for a new endpoint, otherwise unchanged)`
      ),
      cursor: CommandLine.orNull(
        Flag.Int("cursor").pipe(
          Flag.withDescription("receives the events after this number; 0 starts with the first one")
        )
      )
    },
    *run({ company: companyId, cursor, id, types, url }) {
      yield* Company.find(companyId)
      const { register } = yield* EventEndpoints.EventEndpoints
      const before = yield* (yield* EventEndpointStore).find({ companyId, id })
      const secret = before === undefined ? yield* StoredSecrets.random : null
      const wanted = types === null ? (before?.types ?? null) : chosenTypes(types)
      yield* register(caller, { companyId, id, url, secret, types: wanted, cursor })
      const shown = { companyId, id, url, types: wanted ?? everyType }
      return Answer.record(secret === null ? shown : { ...shown, secret })
    }
  }),
  define({
    name: "list",
    does: "Lists the endpoints of all companies, or of one, with their newest accepted events, consecutive failed tries and next tries.",
    examples: ["endpoint list", "endpoint list --company 7 --json"],
    options: { company: Company.everyCompany },
    *run({ company }) {
      const all = yield* (yield* EventEndpoints.EventEndpoints).list(company)
      const shown = all.map(({ nextAt, paused, types, ...rest }) => ({
        ...rest,
        types: types ?? everyType,
        paused: paused?.reason,
        nextAt: Answer.time(nextAt)
      }))
      const table = Answer.table(shown, [
        "companyId",
        "id",
        "url",
        "types",
        "cursor",
        "lastEvent",
        "paused",
        "failures",
        "failure",
        "nextAt",
        "deadLetters"
      ])
      return { ...table, json: all }
    }
  }),
  one(
    "disable",
    "Stops sending to an endpoint. It keeps its cursor, and receives the missed events once it is enabled.",
    (id) => `${id} receives nothing more until it is enabled.`
  ),
  one(
    "enable",
    "Resumes sending to an endpoint that was disabled or answered 410, from the first missed event on.",
    (id) => `${id} receives events again.`
  ),
  one(
    "wake",
    "Retries rejected events now instead of within the hour. Use it once the receiver is reachable again.",
    (id) => `The rejected events of ${id} are being sent again.`
  ),
  define({
    name: "set-cursor",
    does: "Moves an endpoint's cursor to just after an event. Move it back to receive events again, or ahead to skip events.",
    examples: ["endpoint set-cursor 7 erp 0"],
    options: {
      company: Company.companyId,
      id,
      cursor: Argument.Int("cursor").pipe(Argument.withDescription("the number of an event; 0 is before the first"))
    },
    *run({ company: companyId, cursor, id }) {
      yield* find(companyId, id)
      yield* (yield* EventEndpoints.EventEndpoints).setCursor(caller, { companyId, id }, cursor)
      return Answer.sentence(`${id} receives the events after number ${cursor}.`, { companyId, id, cursor })
    }
  }),
  define({
    name: "dead-letters",
    does: "Lists an endpoint's dead letters: webhooks rejected for three days, and single events rejected with 400, 413 or 422.",
    examples: ["endpoint dead-letters 7 erp"],
    options: { company: Company.companyId, id },
    *run({ company: companyId, id }) {
      yield* find(companyId, id)
      const letters = yield* (yield* EventEndpoints.EventEndpoints).deadLetters({ companyId, id })
      const shown = letters.map(({ at, events, ...rest }) => ({
        ...rest,
        at: Answer.time(at),
        events: events.map(({ number }) => number)
      }))
      return Answer.table(shown, ["id", "events", "failure", "at"], letters)
    }
  }),
  define({
    name: "resend",
    does: "Sends a dead letter again, unchanged and before newer events.",
    examples: ["endpoint resend 7 erp msg_1"],
    options: { company: Company.companyId, id, letter: CommandLine.argument("id", "the dead letter's id") },
    *run({ company: companyId, id, letter }) {
      yield* find(companyId, id)
      if (!(yield* (yield* EventEndpoints.EventEndpoints).resend(caller, { companyId, id }, letter)))
        return yield* new CommandFailure(
          `There is no dead letter ${letter} of ${id}. "crossdock endpoint dead-letters ${companyId} ${id}" lists them`
        )
      return Answer.sentence(`Dead letter ${letter} is sent again.`, { companyId, id, letter })
    }
  }),
  define({
    name: "rotate-secret",
    does: "Gives an endpoint a new secret and prints it once. For one day, the old secret signs events too.",
    examples: ["endpoint rotate-secret 7 erp"],
    options: { company: Company.companyId, id, lost: StoredSecrets.lost },
    *run({ company: companyId, id, lost }) {
      const endpoint = yield* find(companyId, id)
      const isKept = yield* StoredSecrets.isReadable(EventEndpoint.placeOf(endpoint), endpoint.webhook, lost)
      const secret = yield* StoredSecrets.random
      yield* (yield* EventEndpoints.EventEndpoints).setSecret(caller, { companyId, id }, secret)
      return Answer.record({ companyId, id, secret, ...(isKept ? {} : { stored: yield* StoredSecrets.storedAs }) })
    }
  }),
  one("remove", "Deletes an endpoint and its dead letters.", (id) => `${id} is deleted.`)
])
