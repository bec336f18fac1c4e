/** Contract: companies, sellers in bulk, accounts. Source: docs/reference/operators.md. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { OperatorAuthentication } from "../Authentication.ts"
import { badRequest, conflict, notFound, tooLarge, unprocessable, unsupportedMediaType } from "../Failure.ts"
import { bulk, sellersResult } from "../internal/BulkOperation.ts"
import * as Fields from "../internal/Fields.ts"
import { field, optionalField } from "../internal/Fields.ts"
import { group, operation } from "../internal/OpenApiDocument.ts"
import { Limits } from "../Limits.ts"
import { AccountBody, CompanyBody, LocationRecord, SellerRecord } from "./OperatorRecords.ts"

export const base = "/operator/v1"

/** The title and description of an operation, with who may call it. */
export const described = (title: string, text: string, section: string) =>
  operation(title, `${text} Any operator may call it.`, `operators.md#${section}`)

const [read, write] = [[badRequest, notFound], [conflict, tooLarge, unsupportedMediaType, unprocessable]] as const

/** The errors of reads and of writes. */
export const errors = { read, write: [...read, ...write] } as const

const inPath = Fields.queryInteger(1, Number.MAX_SAFE_INTEGER)
export const company = { company_id: field(inPath, "The company's number") }

/** Which page of a list to read. */
export const paging = {
  pageNumber: field(Fields.withDefault(Fields.queryInteger(1, Limits.pageNumber), 1), "Page, from 1"),
  pageSize: field(Fields.withDefault(Fields.queryInteger(1, Limits.operatorPageSize), 100), "Items on a page")
}

/** A list, whole or a page of it. */
export const listOf = <S extends Schema.Constraint>(item: S, identifier: string, description: string) =>
  Schema.Struct({
    items: field(Schema.Array(item), "The items"),
    total: field(Fields.count(), "Items on all pages")
  }).annotate({ identifier, description })

const companyFields = {
  id: field(Fields.uid, "The company's number"),
  name: field(Schema.String, "Its name"),
  legalName: field(Schema.String, "The name on invoices and labels"),
  closedAt: optionalField(Fields.time, "When it was closed; absent while it is open")
}

const CompanyView = Schema.Struct(companyFields).annotate({ identifier: "Company", description: "A company" })

const { address: _, code, currency, handlingHours: __, name } = LocationRecord.fields
const text = Schema.NullOr(Schema.String)

const CompanyDetails = Schema.Struct({
  ...companyFields,
  locations: field(
    Schema.Array(
      Schema.Struct({
        ...{ code, name, currency },
        handlingHours: field(Fields.count(), "Hours within which an order must be packed"),
        address: field(
          Schema.NullOr(Schema.Record(Schema.String, text)),
          "Its address on labels and invoices, as it was sent"
        )
      })
    ),
    "Its locations, by code"
  )
}).annotate({ identifier: "CompanyDetails", description: "A company and its locations" })

const slugs = field(Schema.Array(Schema.String), "The slugs of the marketplaces that sell or sold for it")

/** A bulk of sellers. */
export const sellers = bulk({
  record: SellerRecord,
  limit: Limits.sellerRecords,
  keys: ["id", "username"],
  result: sellersResult,
  to: (record) => record
})

export class CompaniesGroup extends HttpApiGroup.make("companies")
  .add(
    HttpApiEndpoint.get("list", `${base}/companies`, {
      query: Schema.Struct(paging),
      success: listOf(CompanyView, "Companies", "A page of companies, by number"),
      error: errors.read
    }).annotateMerge(described("List companies", "All companies, by number.", "companies")),
    HttpApiEndpoint.get("read", `${base}/companies/:company_id`, {
      params: Schema.Struct(company),
      success: CompanyDetails,
      error: errors.read
    }).annotateMerge(described("Read a company", "A company and its locations.", "companies")),
    HttpApiEndpoint.put("put", `${base}/companies/:company_id`, {
      params: Schema.Struct(company),
      payload: CompanyBody,
      success: CompanyDetails,
      error: errors.write
    }).annotateMerge(described("Add or change a company", "Adds or changes a company and its locations.", "companies")),
    HttpApiEndpoint.put("close", `${base}/companies/:company_id/closed`, {
      params: Schema.Struct(company),
      payload: Schema.Struct({ closed: field(Fields.flag, "Whether to close or to reopen it") }),
      success: Schema.Struct({
        marketplaces: slugs,
        agreements: field(Fields.count(), "Its agreements that were frozen or are active again")
      }).annotate({ description: "The effect" }),
      error: errors.write
    }).annotateMerge(
      described(
        "Close or reopen a company",
        "A closed company's accounts don't sign in, no marketplace sees its stock, and nothing more is billed. Reopening undoes that.",
        "companies"
      )
    ),
    HttpApiEndpoint.post("withdraw", `${base}/companies/:company_id/locations/:code/withdraw`, {
      params: Schema.Struct({ ...company, code: field(Fields.text(), "The location's code") }),
      success: Schema.Struct({ marketplaces: slugs }).annotate({ description: "The effect" }),
      error: errors.write
    }).annotateMerge(
      described(
        "Withdraw a location",
        "No marketplace can order from it or is notified of it any longer. Its stock and open orders stay.",
        "companies"
      )
    ),
    HttpApiEndpoint.get("auditChain", `${base}/companies/:company_id/audit-chain`, {
      params: Schema.Struct(company),
      success: Schema.Struct({
        records: field(Fields.count(), "Intact records, from the first that is kept"),
        sequence: field(Fields.count(), "The number of the last of them"),
        hash: field(Schema.String, "Its hash, in hexadecimal digits"),
        root: field(Schema.String, "The root of the Merkle tree there"),
        broken: field(
          Schema.NullOr(
            Schema.Struct({
              sequence: field(Fields.count(), "The number of the first wrong record"),
              reason: field(Schema.String, "What is wrong with it")
            })
          ),
          "The first fault; null for an intact chain"
        )
      }).annotate({ identifier: "AuditChain", description: "The state of a company's audit trail" }),
      error: errors.read
    }).annotateMerge(
      described("Verify an audit trail", "Verifies the hashes of all records of a company's audit trail.", "audit-chain")
    ),
    HttpApiEndpoint.put("sellers", `${base}/sellers`, sellers.contract).annotateMerge(
      sellers.documented(
        "Add sellers",
        "Adds or changes sellers: each a company, its locations and an account. An account that exists stays as it is.",
        "Any operator may call it.",
        "operators.md#sellers"
      )
    )
  )
  .middleware(OperatorAuthentication)
  .annotateMerge(group("Companies", "Companies, their locations and their audit trails")) {}

const kinds = { seller: "integration", client: "platform_client", marketplace: "marketplace" } as const

/** The kind of an account as principals have it, by its name in paths. */
export const accountKinds: Readonly<Record<string, "integration" | "platform_client" | "marketplace">> = kinds

const AccountView = Schema.Struct({
  kind: field(Fields.oneOf("seller", "client", "marketplace"), "The interface of its system"),
  username: field(Schema.String, "The sign-in name; a marketplace's slug"),
  enabled: field(Schema.Boolean, "Whether it can sign in"),
  companyId: optionalField(Fields.uid, "Its company, but for a marketplace"),
  locations: optionalField(Schema.NullOr(Schema.Array(Schema.String)), "Of a seller: its only locations; null: all"),
  stockPolicy: optionalField(Schema.String, "Of a seller: whether its quantities set the stock or adjust it"),
  integrationId: optionalField(Schema.String, "Of a seller: its id in answers and audit records"),
  scopes: optionalField(Schema.Array(Schema.String), "Of a client: its scopes")
}).annotate({ identifier: "Account", description: "An account, without its password" })

const account = (...words: readonly [string, ...Array<string>]) =>
  Schema.Struct({
    kind: field(Fields.oneOf(...words), "The kind of account"),
    username: field(Fields.text(), "The sign-in name; a marketplace's slug")
  })

export class AccountsGroup extends HttpApiGroup.make("accounts")
  .add(
    HttpApiEndpoint.get("list", `${base}/accounts`, {
      query: Schema.Struct({
        kind: field(Fields.oneOf("seller", "client", "marketplace"), "The kind of accounts"),
        companyId: optionalField(inPath, "Only those of this company"),
        ...paging
      }),
      success: listOf(AccountView, "Accounts", "A page of accounts, by username"),
      error: errors.read
    }).annotateMerge(described("List accounts", "The accounts of a kind, by username.", "accounts")),
    HttpApiEndpoint.put("put", `${base}/accounts/:kind/:username`, {
      params: account("seller", "client"),
      payload: AccountBody,
      success: AccountView,
      error: errors.write
    }).annotateMerge(
      described(
        "Add or change an account",
        "Adds an account of a company, or changes it and sets its password. A disabled one stays disabled.",
        "accounts"
      )
    ),
    HttpApiEndpoint.patch("change", `${base}/accounts/:kind/:username`, {
      params: account("seller", "client", "marketplace"),
      payload: Schema.Struct({
        enabled: optionalField(Fields.flag, "Whether it can sign in"),
        password: optionalField(Fields.text(), "A new password, at least 12 characters")
      }).annotate({ identifier: "AccountChange", description: "What to change; the rest stays" }),
      success: AccountView,
      error: errors.write
    }).annotateMerge(
      described(
        "Enable or disable an account, or set its password",
        "Either ends its current tokens within 5 seconds.",
        "accounts"
      )
    )
  )
  .middleware(OperatorAuthentication)
  .annotateMerge(group("Accounts", "Accounts of sellers, clients of the platform interface, and marketplaces")) {}

