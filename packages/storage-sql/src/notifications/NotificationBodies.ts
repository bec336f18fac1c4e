/**
 * The stored bodies of notifications.
 */
import { StoredBody } from "@crossdock/kernel"
import { type EventEndpoint, Limits, type NotificationChannel } from "@crossdock/notifications"
import { webhook } from "../marketplaces/MarketplaceBodies.ts"

const tried = {
  webhookId: true,
  fingerprint: true,
  size: true,
  failures: true,
  since: true,
  nextAt: true,
  failure: true
} as const

export const channels = StoredBody.make<NotificationChannel.Channel>({
  name: "channel",
  fields: {
    marketplace: true,
    companyId: true,
    cursor: true,
    floor: { changeNumber: true, sequence: true },
    completed: true,
    again: [{ location: true, sku: true }],
    aside: [{ ...tried, location: true, sku: true }],
    outstanding: tried,
    lease: { owner: true, until: true },
    version: true
  },
  upcasters: [
    (older) => ({ ...older, aside: [], outstanding: older.outstanding && { ...older.outstanding, size: null } })
  ]
})

export const deadLetters = StoredBody.make<NotificationChannel.DeadLetter>({
  name: "dead letter",
  fields: {
    marketplace: true,
    companyId: true,
    id: true,
    events: [
      {
        eventId: true,
        sku: true,
        location: true,
        code: true,
        quantity: true,
        changeNumber: true,
        sequence: true,
        occurredAt: true
      }
    ],
    failures: true,
    since: true,
    at: true,
    failure: true
  }
})

export const eventEndpoints = StoredBody.make<EventEndpoint.EventEndpoint>({
  name: "endpoint",
  fields: {
    companyId: true,
    id: true,
    webhook,
    types: true,
    cursor: true,
    paused: { reason: true },
    resending: true,
    maxBytes: true,
    invalid: true,
    outstanding: { webhookId: true, upTo: true, failures: true, since: true, nextAt: true, failure: true },
    lease: { owner: true, until: true },
    version: true
  },
  upcasters: [(older) => ({ ...older, maxBytes: Limits.eventBatchBytes }), (older) => ({ ...older, invalid: 0 })]
})

export const eventDeadLetters = StoredBody.make<EventEndpoint.EventDeadLetter>({
  name: "dead letter of events",
  fields: {
    companyId: true,
    endpoint: true,
    id: true,
    events: [{ companyId: true, number: true, change: true, at: true, type: true, version: true }],
    failures: true,
    since: true,
    at: true,
    failure: true
  }
})
