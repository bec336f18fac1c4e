import { StaleWrite, Text } from "@crossdock/kernel"
import { type EventEndpoint, EventEndpointStore, Limits } from "@crossdock/notifications"
import * as Effect from "effect/Effect"
import * as Order from "effect/Order"
import * as Result from "effect/Result"
import { lastEvent } from "./EventLogMemory.ts"
import { adapter } from "./MemoryDatabase.ts"
import * as Table from "./Table.ts"

type Endpoint = EventEndpoint.EventEndpoint
type Letter = EventEndpoint.EventDeadLetter
type Key = EventEndpoint.EndpointKey

const endpoints = Table.make<Endpoint>("eventEndpoints")
const letters = Table.make<Letter>("eventDeadLetters")

const letterKey = (endpoint: string, id: string): string => JSON.stringify([endpoint, id])

const byId = Order.mapInput(Text.order, ({ id }: Endpoint) => id)

const byKey = Table.byNumberThenText(({ companyId }: Endpoint) => companyId, "id")

const oldestFirst = Table.byNumberThenText(({ at }: Letter) => at, "id")

const all = (tables: Table.Tables): ReadonlyArray<Endpoint> =>
  [...endpoints.tenants(tables)].sort(Order.Number).flatMap((company) => endpoints.rows(tables, company).toSorted(byId))

const lettersOf = (tables: Table.Tables, { companyId, id }: Key): ReadonlyArray<Letter> =>
  letters
    .rows(tables, companyId)
    .filter(({ endpoint }) => endpoint === id)
    .sort(oldestFirst)

const without = (tables: Table.Tables, company: number, some: ReadonlyArray<Letter>): Table.Tables => {
  const keys = some.map(({ endpoint, id }) => letterKey(endpoint, id))
  return letters.remove(tables, company, keys)
}

const isStale = (tables: Table.Tables, { companyId, id, version }: Endpoint): boolean =>
  (endpoints.get(tables, companyId, id)?.version ?? 0) !== version

const isAfter =
  (key: Key | null) =>
  ({ companyId, id }: Endpoint): boolean =>
    key === null || companyId > key.companyId || (companyId === key.companyId && Text.order(id, key.id) > 0)

const saved = (tables: Table.Tables, endpoint: Endpoint): Table.Tables =>
  endpoints.put(tables, endpoint.companyId, [[endpoint.id, { ...endpoint, version: endpoint.version + 1 }]])

const unlessStale =
  (endpoint: Endpoint, operation: string, write: (tables: Table.Tables) => Table.Tables) =>
  (tables: Table.Tables): Result.Result<readonly [undefined, Table.Tables], StaleWrite> =>
    isStale(tables, endpoint) ? Result.fail(new StaleWrite({ operation })) : Result.succeed([undefined, write(tables)])

export const layer = adapter(EventEndpointStore, (database) => {
  const after = (key: Key | null, limit: number) =>
    database.read((tables) => endpoints.all(tables).filter(isAfter(key)).sort(byKey).slice(0, limit))

  return {
    pending: (now) =>
      database.read((tables) =>
        all(tables).filter(
          ({ companyId, cursor, outstanding, paused, resending }) =>
            paused === null &&
            (resending.length > 0 || cursor !== lastEvent(tables, companyId)) &&
            (outstanding === null || outstanding.nextAt <= now || outstanding.nextAt > now + Limits.longestDelayMillis)
        )
      ),
    find: ({ companyId, id }) => database.read((tables) => endpoints.get(tables, companyId, id)),
    list: (company) =>
      database.read((tables) =>
        all(tables)
          .filter(({ companyId }) => company === null || companyId === company)
          .map((endpoint) => ({
            endpoint,
            lastEvent: lastEvent(tables, endpoint.companyId),
            deadLetters: lettersOf(tables, endpoint).length
          }))
      ),
    save: (endpoint) =>
      database.decide(unlessStale(endpoint, "EventEndpointStore.save", (tables) => saved(tables, endpoint))),
    after,
    lockAfter: after,
    saveAll: (some) =>
      database.decide((tables) =>
        some.some((endpoint) => endpoint.version === 0 || isStale(tables, endpoint))
          ? Result.fail(new StaleWrite({ operation: "EventEndpointStore.saveAll" }))
          : Result.succeed([undefined, some.reduce(saved, tables)])
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
          .all(tables)
          .filter(({ at }) => at < before)
          .sort(oldestFirst)
          .slice(0, limit)
        return Result.succeed([
          old.length,
          old.reduce((left, letter) => without(left, letter.companyId, [letter]), tables)
        ])
      }),
    purge: Effect.void
  }
})
