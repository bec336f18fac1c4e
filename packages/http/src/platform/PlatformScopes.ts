/** The scope of each route. A route without a scope rejects every caller. Source: docs/reference/authentication.md#scopes. */
import * as Context from "effect/Context"

/** The common beginning of all paths of the audit trail and billing. */
export const platformBase = "/service/platform"

const audit = `${platformBase}/audit-trail/v1.0/company/:company_id`
const billing = `${platformBase}/billing/v1.0/company/:company_id`

/** The paths of the audit trail and billing. */
export const paths = {
  logs: `${audit}/logs`,
  log: `${audit}/logs/:id`,
  entityTypes: `${audit}/entity-types`,
  checkValidity: `${billing}/coupon/check-validity`,
  createSubscription: `${billing}/extension/:extension_id/subscription`,
  subscription: `${billing}/extension/:extension_id/subscription/:subscription_id`,
  cancelSubscription: `${billing}/extension/:extension_id/subscription/:subscription_id/cancel`,
  createCharge: `${billing}/extension/:extension_id/one_time_charge`,
  charge: `${billing}/extension/:extension_id/charge/:charge_id`,
  invoices: `${billing}/invoice/list`,
  invoice: `${billing}/invoice/:invoice_id`,
  customer: `${billing}/subscription/customer-detail`,
  current: `${billing}/subscription/current`,
  currentLimit: `${billing}/subscription/current-limit`,
  activate: `${billing}/subscription/activate`
} as const

/** The beginnings of secret links to confirm pages and signed links to invoices. They need no scope. */
export const confirmPath = "/billing/confirm"
export const invoicePath = "/billing/invoice"

/** A right of a platform client. */
export type Scope = "company/finance/read" | "company/finance/write" | "company/audit/read" | "company/audit/write"

const [financeRead, financeWrite] = ["company/finance/read", "company/finance/write"] as const

/** The scope of each route, keyed by `METHOD path`. */
export const scopes: Readonly<Record<string, Scope>> = {
  [`GET ${paths.logs}`]: "company/audit/read",
  [`POST ${paths.logs}`]: "company/audit/write",
  [`GET ${paths.log}`]: "company/audit/read",
  [`GET ${paths.entityTypes}`]: "company/audit/read",
  [`GET ${paths.checkValidity}`]: financeRead,
  [`POST ${paths.createSubscription}`]: financeWrite,
  [`GET ${paths.subscription}`]: financeRead,
  [`POST ${paths.cancelSubscription}`]: financeWrite,
  [`POST ${paths.createCharge}`]: financeWrite,
  [`GET ${paths.charge}`]: financeRead,
  [`GET ${paths.invoices}`]: financeRead,
  [`GET ${paths.invoice}`]: financeRead,
  [`GET ${paths.customer}`]: financeRead,
  [`POST ${paths.customer}`]: financeWrite,
  [`GET ${paths.current}`]: financeRead,
  [`GET ${paths.currentLimit}`]: financeRead,
  [`POST ${paths.activate}`]: financeRead
}

/** Every scope, once. */
export const allScopes: ReadonlyArray<string> = [...new Set(Object.values(scopes))]

/** The host chooses the scope of `activate`: finance/read, which is the default, or finance/write. */
export const PlatformPolicy = Context.Reference<{ readonly activateNeeds: Scope }>("@crossdock/http/PlatformPolicy", {
  defaultValue: () => ({ activateNeeds: financeRead })
})

/**
 * The scope of a route. It is undefined if the route rejects every caller.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { PlatformScopes } from "@crossdock/http"
 *
 * const { paths, scopeOf } = PlatformScopes
 * strictEqual(scopeOf("POST", paths.logs, "company/finance/read"), "company/audit/write")
 * ```
 */
export const scopeOf = (method: string, path: string, activateNeeds: Scope): Scope | undefined =>
  method === "POST" && path === paths.activate ? activateNeeds : scopes[`${method} ${path}`]
