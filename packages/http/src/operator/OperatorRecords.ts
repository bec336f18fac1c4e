/**
 * Records of the operator interface, which are also those of the command's files: companies, sellers, accounts and
 * marketplaces. The services judge what these schemas allow.
 */
import { CompanyId } from "@crossdock/kernel"
import { Registration } from "@crossdock/marketplaces"
import * as Schema from "effect/Schema"
import * as Fields from "../internal/Fields.ts"
import { field, orNull } from "../internal/Fields.ts"

const text = Fields.text()

const companyId = field(CompanyId.annotate({ message: "[INVALID_VALUE] must be a company's number" }), "The company's number")

const address = Schema.Struct({
  address1: field(text, "First line"),
  address2: orNull(text, "Second line"),
  city: field(text, "City"),
  state: field(text, "State"),
  pincode: field(text, "Postal code"),
  country: field(text, "Country"),
  phone: orNull(text, "Phone number"),
  gstin: orNull(text, "The company's GSTIN (tax number) for this location")
})

/** Null: no such line of the address, and unchanged handling hours and address. */
export const LocationRecord = Schema.Struct({
  code: field(text, "Its code, such as BLR1"),
  name: field(text, "Its name"),
  currency: field(Fields.currency, "The currency of its prices and orders, which can't be changed"),
  handlingHours: orNull(Fields.integer(1, 8_760), "Hours within which an order must be packed; null: as before, or 24"),
  address: orNull(address, "Its address on labels and invoices; null: as before")
}).annotate({ identifier: "LocationRecord", description: "A location to add or change" })

const names = {
  name: field(text, "Its name"),
  legalName: field(text, "The name on invoices and labels")
}

/** A line of `crossdock import companies`. */
export const CompanyRecord = Schema.Struct({ id: companyId, ...names })

const username = field(text, "The sign-in name")
const password = field(text, "Its password, at least 12 characters")
const policy = Fields.withDefault(Fields.oneOf("set", "adjust"), "set")
const stockPolicy = field(policy, "Whether its quantities set the stock or adjust it")
const locations = Schema.Array(LocationRecord)

/** A line of `crossdock import sellers`. */
export const SellerLine = Schema.Struct({ ...CompanyRecord.fields, locations, username, policy })

export const SellerRecord = Schema.Struct({
  ...CompanyRecord.fields,
  locations: field(locations, "Its locations; others that it has stay"),
  username,
  password,
  policy: stockPolicy
}).annotate({ identifier: "SellerRecord", description: "A seller: its company, locations and account" })

export const CompanyBody = Schema.Struct({
  ...names,
  locations: field(Fields.withDefault(locations, []), "Locations to add or change; the others stay")
}).annotate({ identifier: "CompanyBody", description: "A company, with some of its locations" })

export const AccountBody = Schema.Struct({
  companyId,
  password,
  locations: orNull(Schema.Array(text), "Of a seller: the only locations that it may see and change; null: all"),
  policy: stockPolicy,
  integrationId: orNull(text, "Of a seller: its id in answers and audit records; null: the username"),
  scopes: field(Fields.withDefault(Schema.Array(text), []), "Of a client: its scopes")
}).annotate({ identifier: "AccountBody", description: "An account of a company" })

const authentication = Schema.Union([
  Schema.Struct({ type: field(Schema.Literal("none"), "No authentication") }),
  Schema.Struct({
    type: field(Schema.Literal("basic"), "HTTP Basic"),
    username: field(text, "Its username"),
    password: field(text, "Its password")
  }),
  Schema.Struct({ type: field(Schema.Literal("bearer"), "A bearer token"), token: field(text, "The token") }),
  Schema.Struct({
    type: field(Schema.Literal("header"), "A header of its own"),
    name: field(text, "The header's name"),
    value: field(text, "The header's value")
  })
]).annotate({ message: "[INVALID_VALUE] must be of the type none, basic, bearer or header, with its fields" })

const quantity = Fields.integer(0, Registration.Limits.bufferUnits)

export const MarketplaceBody = Schema.Struct({
  name: field(text, "Its name"),
  currency: field(Fields.currency, "The currency of its orders"),
  password: orNull(text, "The password of its account, at least 12 characters; null: as before"),
  locations: field(
    Schema.Array(
      Schema.Struct({
        companyId,
        location: field(text, "The location's code"),
        code: field(text, "The marketplace's own code of it")
      })
    ),
    "The locations from which it sells"
  ),
  skus: orNull(Schema.Array(text), "The SKUs that it sells; null: all"),
  buffers: field(
    Fields.withDefault(
      Schema.Array(
        Schema.Struct({
          companyId: orNull(CompanyId, "Only of this company"),
          location: orNull(text, "Only at this location"),
          sku: orNull(text, "Only of this SKU"),
          quantity: field(quantity, "Units that it doesn't see")
        })
      ),
      []
    ),
    "Safety stock; the most specific buffer counts"
  ),
  webhook: orNull(
    Schema.Struct({
      url: field(text, "Where it is notified of stock"),
      secret: orNull(text, "Signs notifications: whsec_ and 24 to 64 bytes in base64; null: as before"),
      authentication: orNull(authentication, "How the host signs in there; null: as before")
    }),
    "Null: it isn't notified"
  )
}).annotate({ identifier: "MarketplaceBody", description: "The registration of a marketplace" })

/** A line of `crossdock import marketplaces`, and the file of `crossdock marketplace add`. */
export const MarketplaceRecord = Schema.Struct({ slug: text, ...MarketplaceBody.fields })

export const EndpointBody = Schema.Struct({
  url: field(text, "Where the events are sent"),
  secret: orNull(text, "Signs the webhooks: whsec_ and 24 to 64 bytes in base64; null: as before"),
  types: orNull(Schema.Array(text), "The types of events to receive; null: all"),
  cursor: orNull(
    Fields.integer(0, Number.MAX_SAFE_INTEGER),
    "Receives the events after this number; null: as before, or from now on"
  )
}).annotate({ identifier: "EndpointBody", description: "An endpoint of a company's backend" })

