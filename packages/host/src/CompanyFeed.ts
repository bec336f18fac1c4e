/** The events of companies in their own change feed. Source: docs/reference/events.md. */
import { CompanyEvent } from "@crossdock/audit"
import * as Schema from "effect/Schema"

const locations = Schema.Array(Schema.String).annotate({ description: "The codes of its locations." })

export const registered = CompanyEvent.define({
  type: "company.registered",
  version: 1,
  description: "A company or some of its locations were registered or changed.",
  data: Schema.Struct({
    isNew: Schema.Boolean,
    locations: Schema.Array(Schema.String).annotate({ description: "The codes of the locations that were written." })
  }),
  example: { isNew: true, locations: ["BLR1", "DEL1"] }
})

export const closed = CompanyEvent.define({
  type: "company.closed",
  version: 1,
  description: "The company was closed: its accounts can't sign in, and no marketplace sells its stock.",
  data: Schema.Struct({ locations }),
  example: { locations: ["BLR1", "DEL1"] }
})

export const reopened = CompanyEvent.define({
  type: "company.reopened",
  version: 1,
  description: "A closed company does business again.",
  data: Schema.Struct({ locations }),
  example: { locations: ["BLR1", "DEL1"] }
})

/** All types. */
export const types = [registered, closed, reopened] as const
