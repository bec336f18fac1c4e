/** The webhook of marketplaces, for their OpenAPI document. Source: docs/reference/notifications.md. */

const header = (name: string, description: string, schema: object, required = true) => ({
  name,
  in: "header",
  required,
  description,
  schema
})

const text = { type: "string" }

/** The event, as a component of the document. */
export const InventoryEvent = {
  type: "object",
  description: "A change of the sellable quantity of a SKU at a location",
  required: ["event_id", "type", "sku", "location_id", "quantity", "sequence", "occurred_at"],
  properties: {
    event_id: {
      type: "string",
      pattern: "^[0-9a-f]{32}$",
      description: "The same change has the same id, however often it is sent"
    },
    type: { type: "string", enum: ["inventory.updated"], description: "Kind of the event" },
    sku: { type: "string", description: "The SKU" },
    location_id: { type: "string", description: "The marketplace's own code of the location" },
    quantity: {
      type: "integer",
      minimum: 0,
      description:
        "Sellable units at the time of sending, less the marketplace's safety stock: absolute, not a difference"
    },
    sequence: {
      type: "integer",
      minimum: 1,
      description: "Grows per SKU and location: drop events that aren't newer than yours"
    },
    occurred_at: { type: "string", format: "date-time", description: "When the change was made, ISO 8601 in UTC" }
  }
}

const example = [
  {
    event_id: "4f1c0d5b8a2e49c7b6d3e1f09a7c5b24",
    type: "inventory.updated",
    sku: "85123A",
    location_id: "BLR1",
    quantity: 88,
    sequence: 42,
    occurred_at: "2026-01-31T12:00:00.000Z"
  }
]

/** The webhooks by their names. */
export const webhooks = {
  inventory: {
    post: {
      operationId: "inventory",
      tags: ["Webhooks"],
      summary: "Receive stock changes",
      description: `Is called within a second of a change of the sellable quantity of a SKU at a location that is mapped to the marketplace. Delivery is at least once: drop events that you have. Any 2xx accepts the notification; anything else, a redirect too, or no answer within 10 seconds is tried again, 1 second to 1 hour apart with pauses that double, for 3 days. Then the events are set aside as a dead letter, which can be sent again.

The signature is that of the Standard Webhooks specification, version 1: HMAC-SHA256 over \`webhook-id.webhook-timestamp.body\`, as base64, with the key in the secret (\`whsec_\` and base64). Compare it in constant time, and reject a timestamp that is more than 5 minutes off. The marketplace may ask for basic or bearer authentication or a header of its choice beside it.

Rules: docs/reference/notifications.md#events, docs/reference/notifications.md#signature, docs/reference/notifications.md#retries.`,
      security: [],
      parameters: [
        header("webhook-id", "Id of this body: a retry of the same body keeps it", text),
        header("webhook-timestamp", "When it was sent, in seconds since 1970", { type: "string", pattern: "^\\d+$" }),
        header(
          "webhook-signature",
          "A signature for each valid secret, separated by spaces: v1 and a comma before each",
          { type: "string", pattern: "^v1,[A-Za-z0-9+/=]+( v1,[A-Za-z0-9+/=]+)*$" }
        ),
        header("x-crossdock-channel", "Which seller's company the events are from", text),
        header("x-crossdock-number", "A running number per channel: a gap means that a notification is missing", {
          type: "string",
          pattern: "^\\d+$"
        })
      ],
      requestBody: {
        required: true,
        content: {
          "application/json": {
            schema: {
              type: "array",
              minItems: 1,
              maxItems: 500,
              items: { $ref: "#/components/schemas/InventoryEvent" }
            },
            examples: { "A change": { summary: "A change", value: example } }
          }
        }
      },
      responses: {
        "2XX": { description: "The notification is accepted; the body does not count" },
        default: { description: "The notification is tried again" }
      }
    }
  }
}
