/** The events of marketplaces in a company's change feed. Source: docs/reference/events.md. */
import { CompanyEvent } from "@crossdock/audit"
import { frozen } from "@crossdock/kernel"
import * as Schema from "effect/Schema"

export const registered = CompanyEvent.define({
  type: "marketplace.registered",
  description:
    "A marketplace that sells from the company's locations was registered or changed, or it stopped selling from them.",
  data: Schema.Struct({
    marketplace: Schema.String,
    locations: Schema.Array(Schema.String).annotate({
      description: "The company's codes of the locations from which the marketplace now sells."
    })
  }),
  example: { marketplace: "bazaar", locations: ["BLR1"] }
})

export const types = /* @__PURE__ */ frozen([registered] as const)
