/** Records of the operator interface and of the command's files. Services judge them. Most descriptions are in texts.json. */
import { CompanyId } from "@crossdock/kernel"
import { Registration } from "@crossdock/marketplaces"
import * as Schema from "effect/Schema"
import * as Fields from "../internal/Fields.ts"
import { field, orNull, withDefault } from "../internal/Fields.ts"

const [text, texts] = [Fields.text(), Schema.Array(Fields.text())]
const companyId = CompanyId.annotate({ message: "[INVALID_VALUE] must be a company's number" })

const lines = { address1: text, city: text, state: text, pincode: text, country: text }
const address = Schema.Struct({ ...lines, address2: orNull(text), phone: orNull(text), gstin: orNull(text) })

const handlingHours = orNull(Fields.integer(1, 8_760))

/** In an address, null means that the line is absent. Elsewhere, null leaves the handling hours or the address unchanged. */
export const LocationRecord = Schema.Struct({
  ...{ code: field(text, "The location's code, such as BLR1"), name: text },
  ...{ currency: Fields.currency, handlingHours, address: orNull(address) }
}).annotate({ identifier: "LocationRecord" })

const names = { name: text, legalName: text }
const locations = Schema.Array(LocationRecord)

/** A line of `crossdock import companies`. */
export const CompanyRecord = Schema.Struct({ id: companyId, ...names })

const policy = withDefault(Fields.oneOf("set", "adjust"), "set")

/** A line of `crossdock import sellers`. */
export const SellerLine = Schema.Struct({ ...CompanyRecord.fields, locations, username: text, policy })

const generated = withDefault(Fields.flag, false)

export const SellerRecord = Schema.Struct({ ...SellerLine.fields, password: text, generated }).annotate({
  identifier: "SellerRecord"
})

export const CompanyBody = Schema.Struct({ ...names, locations: withDefault(locations, []) }).annotate({
  identifier: "CompanyBody"
})

const ofSeller = { locations: orNull(texts), policy, integrationId: orNull(text) }

export const AccountBody = Schema.Struct({
  ...{ companyId, password: text, ...ofSeller, scopes: withDefault(texts, []) }
}).annotate({ identifier: "AccountBody" })

const authentication = Schema.Union([
  Schema.Struct({ type: Schema.Literal("none") }),
  Schema.Struct({
    type: Schema.Literal("basic"),
    username: field(text, "The user name"),
    password: field(text, "The password")
  }),
  Schema.Struct({ type: Schema.Literal("bearer"), token: text }),
  Schema.Struct({ type: Schema.Literal("header"), name: field(text, "The header's name"), value: text })
]).annotate({ message: "[INVALID_VALUE] must be of the type none, basic, bearer or header, with its fields" })

const quantity = Fields.integer(0, Registration.Limits.bufferUnits)
const buffer = Schema.Struct({ companyId: orNull(companyId), location: orNull(text), sku: orNull(text), quantity })
const mapping = Schema.Struct({
  companyId,
  location: text,
  code: field(text, "The marketplace's code for the location")
})
const webhook = Schema.Struct({ url: text, secret: orNull(text), authentication: orNull(authentication) })

/** If absent or null, `skus` means all SKUs, there is no webhook, and password, secret and authentication don't change. */
export const MarketplaceBody = Schema.Struct({
  ...{ name: text, currency: Fields.currency, password: orNull(text), locations: Schema.Array(mapping) },
  ...{ skus: orNull(texts), buffers: withDefault(Schema.Array(buffer), []), webhook: orNull(webhook) }
}).annotate({ identifier: "MarketplaceBody" })

/** If absent or null, `types` means all types, and the secret and the cursor don't change. A new endpoint needs a secret. */
export const EndpointBody = Schema.Struct({
  url: text,
  secret: orNull(text),
  types: orNull(texts),
  cursor: orNull(Fields.integer(0, Number.MAX_SAFE_INTEGER))
}).annotate({ identifier: "EndpointBody" })

/** A line of `crossdock import marketplaces`, and the file of `crossdock marketplace add`. */
export const MarketplaceRecord = Schema.Struct({ slug: text, ...MarketplaceBody.fields })
