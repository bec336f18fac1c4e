import { StoredBody } from "@crossdock/kernel"
import { type NotificationChannel, NotificationStore } from "@crossdock/notifications"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import { type BodyRow, bodyOf, each, first, saveNext } from "../Dialect.ts"
import { deleteOld } from "../ExpiredRows.ts"
import { named } from "../TransactionSql.ts"

const tried = StoredBody.present("webhookId fingerprint size failures since nextAt failure")

export const channels = StoredBody.make<NotificationChannel.Channel>({
  name: "channel",
  fields: {
    ...StoredBody.present("marketplace companyId cursor completed version"),
    floor: { changeNumber: true, sequence: true },
    again: [{ location: true, sku: true }],
    aside: [{ ...tried, location: true, sku: true }],
    outstanding: tried,
    lease: { owner: true, until: true }
  },
  upcasters: [
    (older) => ({ ...older, aside: [], outstanding: older.outstanding && { ...older.outstanding, size: null } })
  ]
})

export const deadLetters = StoredBody.make<NotificationChannel.DeadLetter>({
  name: "dead letter",
  fields: {
    ...StoredBody.present("marketplace companyId id failures since at failure"),
    events: [StoredBody.present("eventId sku location code quantity changeNumber sequence occurredAt")]
  }
})

interface Row {
  readonly company_id: number
  readonly marketplace: string
  readonly version: number
  readonly body: string
}

const channelOf = ({ body, company_id, marketplace, version }: Row): NotificationChannel.Channel => ({
  ...channels.read(body, `${marketplace} of company ${company_id}`),
  version
})

const letterOf = bodyOf(deadLetters)

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const is = ({ companyId, marketplace }: NotificationChannel.ChannelKey) =>
    sql`company_id = ${companyId} AND marketplace = ${marketplace}`

  return NotificationStore.of({
    channels: sql<Row>`
        SELECT company_id, marketplace, version, body FROM crossdock_channels
        ORDER BY company_id, marketplace`.pipe(each(channelOf), named("NotificationStore.channels")),
    find: (key) =>
      sql<Row>`
        SELECT company_id, marketplace, version, body FROM crossdock_channels
        WHERE ${is(key)}`.pipe(first(channelOf), named("NotificationStore.find")),
    save: (channel) => {
      const { companyId, marketplace, version } = channel
      const [operation, key] = ["NotificationStore.save", { company_id: companyId, marketplace }]
      const columns = { version, body: channels.write(channel) }
      return saveNext(sql, operation, "crossdock_channels", key, columns).pipe(named(operation))
    },
    addDeadLetter: (letter) =>
      sql`INSERT INTO crossdock_dead_letters ${sql.insert({
        company_id: letter.companyId,
        marketplace: letter.marketplace,
        id: letter.id,
        at: letter.at,
        body: deadLetters.write(letter)
      })}`.pipe(Effect.asVoid, named("NotificationStore.addDeadLetter")),
    deadLetters: (marketplace) =>
      sql<BodyRow>`
        SELECT id, body FROM crossdock_dead_letters WHERE marketplace = ${marketplace}
        ORDER BY at, id`.pipe(each(letterOf), named("NotificationStore.deadLetters")),
    takeDeadLetter: (key, id) =>
      sql<BodyRow>`
        DELETE FROM crossdock_dead_letters WHERE ${is(key)} AND id = ${id}
        RETURNING id, body`.pipe(first(letterOf), named("NotificationStore.takeDeadLetter")),
    deleteDeadLetters: yield* deleteOld(
      sql,
      "NotificationStore.deleteDeadLetters",
      "crossdock_dead_letters",
      "company_id, marketplace, id",
      "at"
    )
  })
})

export const layer = Layer.effect(NotificationStore, make)
