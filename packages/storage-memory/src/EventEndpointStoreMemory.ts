import { Text } from "@crossdock/kernel"
import { type EventEndpoint, EventEndpointStore, Limits } from "@crossdock/notifications"
import * as Effect from "effect/Effect"
import { lastEvent } from "./EventLogMemory.ts"
import { adapter } from "./MemoryDatabase.ts"
import * as Table from "./Table.ts"

type Endpoint = EventEndpoint.EventEndpoint
type Letter = EventEndpoint.EventDeadLetter
type Key = EventEndpoint.EndpointKey

const letterKey = (endpoint: string, id: string): string => JSON.stringify([endpoint, id])

const endpoints = Table.ofCompanies<Endpoint>("eventEndpoints", ({ id }) => id)
const letters = Table.ofCompanies<Letter>("eventDeadLetters", ({ endpoint, id }) => letterKey(endpoint, id))

const byKey = Table.byNumberThenText(({ companyId }: Endpoint) => companyId, "id")
const oldestFirst = Table.byNumberThenText(({ at }: Letter) => at, "id")

const lettersOf = (tables: Table.Tables, { companyId, id }: Key): ReadonlyArray<Letter> =>
  letters
    .rows(tables, companyId)
    .filter(({ endpoint }) => endpoint === id)
    .sort(oldestFirst)

const isStale = (tables: Table.Tables, endpoint: Endpoint): boolean =>
  (endpoints.find(tables, endpoint)?.version ?? 0) !== endpoint.version

const nextVersion = (endpoint: Endpoint): Endpoint => ({ ...endpoint, version: endpoint.version + 1 })

const isAfter =
  (key: Key | null) =>
  ({ companyId, id }: Endpoint): boolean =>
    key === null || companyId > key.companyId || (companyId === key.companyId && Text.order(id, key.id) > 0)

export const layer = adapter(EventEndpointStore, (database) => {
  const after = (key: Key | null, limit: number) =>
    database.read((tables) => endpoints.all(tables).filter(isAfter(key)).sort(byKey).slice(0, limit))

  return {
    pending: (now) =>
      database.read((tables) =>
        endpoints
          .all(tables)
          .filter(
            ({ companyId, cursor, outstanding, paused, resending }) =>
              paused === null &&
              (resending.length > 0 || cursor !== lastEvent(tables, companyId)) &&
              (outstanding === null ||
                outstanding.nextAt <= now ||
                outstanding.nextAt > now + Limits.longestDelayMillis)
          )
          .sort(byKey)
      ),
    find: ({ companyId, id }) => database.read((tables) => endpoints.get(tables, id, companyId)),
    list: (company) =>
      database.read((tables) =>
        endpoints
          .all(tables)
          .filter(({ companyId }) => company === null || companyId === company)
          .sort(byKey)
          .map((endpoint) => ({
            endpoint,
            lastEvent: lastEvent(tables, endpoint.companyId),
            deadLetters: lettersOf(tables, endpoint).length
          }))
      ),
    save: (endpoint) => database.decide(Table.saveNext(endpoints, "EventEndpointStore.save", endpoint)),
    after,
    lockAfter: after,
    saveAll: (some) =>
      database.decide((tables) =>
        some.some((endpoint) => endpoint.version === 0 || isStale(tables, endpoint))
          ? Table.stale("EventEndpointStore.saveAll")
          : Table.written(endpoints.save(tables, some.map(nextVersion)))
      ),
    remove: (endpoint) =>
      database.decide((tables) =>
        isStale(tables, endpoint)
          ? Table.stale("EventEndpointStore.remove")
          : Table.written(endpoints.discard(letters.discard(tables, lettersOf(tables, endpoint)), [endpoint]))
      ),
    putDeadLetter: (letter) => database.write((tables) => letters.save(tables, [letter])),
    deadLetters: (key) => database.read((tables) => lettersOf(tables, key)),
    deadLetter: ({ companyId, id: endpoint }, id) =>
      database.read((tables) => letters.get(tables, letterKey(endpoint, id), companyId)),
    removeDeadLetter: ({ companyId, id: endpoint }, id) =>
      database.write((tables) => letters.remove(tables, [letterKey(endpoint, id)], companyId)),
    deleteDeadLetters: (before, limit) => database.update(Table.deleteOld(letters, ({ at }) => at, before, limit)),
    purge: Effect.void
  }
})
