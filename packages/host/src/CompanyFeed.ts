/** The events of companies in their own change feed. Source: docs/reference/events.md. */
import { CompanyEvent } from "@crossdock/audit"
import { CustomFields } from "@crossdock/catalog"
import * as Schema from "effect/Schema"

const locations = Schema.Array(Schema.String).annotate({ description: "The codes of its locations." })

export const registered = CompanyEvent.define({
  type: "company.registered",
  description: "A company or some of its locations were registered or changed.",
  data: Schema.Struct({
    isNew: Schema.Boolean,
    locations: Schema.Array(Schema.String).annotate({ description: "The codes of the locations that were written." }),
    customFields: CustomFields.inEvent,
    locationFields: Schema.optionalKey(
      Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.Unknown)).annotate({
        description: "The values of the host's own fields of the locations written, by code, without personal ones."
      })
    )
  }),
  example: { isNew: true, locations: ["BLR1", "DEL1"] }
})

export const closed = CompanyEvent.define({
  type: "company.closed",
  description: "The company was closed: its accounts can't sign in, and no marketplace sells its stock.",
  data: Schema.Struct({ locations }),
  example: { locations: ["BLR1", "DEL1"] }
})

export const reopened = CompanyEvent.define({
  type: "company.reopened",
  description: "A closed company was reopened.",
  data: Schema.Struct({ locations }),
  example: { locations: ["BLR1", "DEL1"] }
})

export const types = [registered, closed, reopened] as const
