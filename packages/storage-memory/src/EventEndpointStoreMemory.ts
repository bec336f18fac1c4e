/**
 * Adapter: the endpoints that receive events, and their dead letters.
 */
import { StaleWrite } from "@crossdock/kernel"
import { type EventEndpoint, EventEndpointStore } from "@crossdock/notifications"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Order from "effect/Order"
import * as Result from "effect/Result"
import * as CodePoint from "./CodePoint.ts"
import { lastEvent } from "./EventLogMemory.ts"
import { MemoryDatabase } from "./MemoryDatabase.ts"
import * as Table from "./Table.ts"

type Endpoint = EventEndpoint.EventEndpoint
type Letter = EventEndpoint.EventDeadLetter
type Key = EventEndpoint.EndpointKey

const endpoints = Table.make<Endpoint>("eventEndpoints")
const letters = Table.make<Letter>("eventDeadLetters")

const letterKey = (endpoint: string, id: string): string => JSON.stringify([endpoint, id])

const byId = Order.mapInput(CodePoint.order, ({ id }: Endpoint) => id)

const oldestFirst = Order.combine(
  Order.mapInput(Order.Number, ({ at }: Letter) => at),
  Order.mapInput(CodePoint.order, ({ id }: Letter) => id)
)

const rowsOf = <Row>(tables: Table.Tables, table: Table.Table<Row>, company: number): ReadonlyArray<Row> =>
  table.entries(tables, company).map(([, row]) => row)

const lettersOf = (tables: Table.Tables, { companyId, id }: Key): ReadonlyArray<Letter> =>
  rowsOf(tables, letters, companyId)
    .filter(({ endpoint }) => endpoint === id)
    .sort(oldestFirst)

const without = (tables: Table.Tables, company: number, some: ReadonlyArray<Letter>): Table.Tables =>
  letters.remove(
    tables,
    company,
    some.map(({ endpoint, id }) => letterKey(endpoint, id))
  )

/** Writes if the stored endpoint is the one that was read. */
const unlessStale =
  ({ companyId, id, version }: Endpoint, operation: string, write: (tables: Table.Tables) => Table.Tables) =>
  (tables: Table.Tables): Result.Result<readonly [undefined, Table.Tables], StaleWrite> =>
    (endpoints.get(tables, companyId, id)?.version ?? 0) === version
      ? Result.succeed([undefined, write(tables)])
      : Result.fail(new StaleWrite({ operation }))

export const make = Effect.gen(function* () {
  const database = yield* MemoryDatabase

  return EventEndpointStore.of({
    pending: database.read((tables) =>
      [...endpoints.tenants(tables)]
        .sort(Order.Number)
        .flatMap((company) => rowsOf(tables, endpoints, company).toSorted(byId))
        .filter(
          ({ companyId, cursor, paused, resending }) =>
            paused === null && (resending.length > 0 || cursor !== lastEvent(tables, companyId))
        )
    ),
    find: ({ companyId, id }) => database.read((tables) => endpoints.get(tables, companyId, id)),
    list: (company) =>
      database.read((tables) =>
        rowsOf(tables, endpoints, company)
          .toSorted(byId)
          .map((endpoint) => ({ endpoint, deadLetters: lettersOf(tables, endpoint).length }))
      ),
    save: (endpoint) =>
      database.decide(
        unlessStale(endpoint, "EventEndpointStore.save", (tables) =>
          endpoints.put(tables, endpoint.companyId, [[endpoint.id, { ...endpoint, version: endpoint.version + 1 }]])
        )
      ),
    remove: (endpoint) =>
      database.decide(
        unlessStale(endpoint, "EventEndpointStore.remove", (tables) =>
          endpoints.remove(without(tables, endpoint.companyId, lettersOf(tables, endpoint)), endpoint.companyId, [
            endpoint.id
          ])
        )
      ),
    putDeadLetter: (letter) =>
      database.write((tables) =>
        letters.put(tables, letter.companyId, [[letterKey(letter.endpoint, letter.id), letter]])
      ),
    deadLetters: (key) => database.read((tables) => lettersOf(tables, key)),
    deadLetter: ({ companyId, id: endpoint }, id) =>
      database.read((tables) => letters.get(tables, companyId, letterKey(endpoint, id))),
    removeDeadLetter: ({ companyId, id: endpoint }, id) =>
      database.write((tables) => letters.remove(tables, companyId, [letterKey(endpoint, id)])),
    deleteDeadLetters: (before, limit) =>
      database.decide((tables) => {
        const old = letters
          .tenants(tables)
          .flatMap((company) => rowsOf(tables, letters, company))
          .filter(({ at }) => at < before)
          .sort(oldestFirst)
          .slice(0, limit)
        return Result.succeed([
          old.length,
          old.reduce((left, letter) => without(left, letter.companyId, [letter]), tables)
        ])
      })
  })
})

export const layer: Layer.Layer<EventEndpointStore, never, MemoryDatabase> = Layer.effect(EventEndpointStore, make)
