export * as Agreement from "./Agreement.ts"
export * as AgreementLifecycle from "./AgreementLifecycle.ts"
export * as Billing from "./Billing.ts"
export * as BillingCalendar from "./BillingCalendar.ts"
export * as BillingCycle from "./BillingCycle.ts"
export { BillingNotFound, BillingRejected, OtherCurrency } from "./BillingError.ts"
export * as BillingFeed from "./BillingFeed.ts"
export * as BillingLedger from "./BillingLedger.ts"
export { BillingPolicy, type BillingRules, Limits } from "./BillingPolicy.ts"
export * as BillingRun from "./BillingRun.ts"
export { BillingStore } from "./BillingStore.ts"
export * as BillingWorker from "./BillingWorker.ts"
export {
  type ChargeDraft,
  type ExactCharge,
  type LineDraft,
  oneTimeCharge,
  subscriptionCharge,
  trialDaysOf
} from "./Charge.ts"
export * as Coupon from "./Coupon.ts"
export { type BillingAddress, type Customer, type CustomerDetail, clientOf, type Phone } from "./Customer.ts"
export * as Invoice from "./Invoice.ts"
export { type Outcome, PaymentProvider, type PaymentRequest } from "./PaymentProvider.ts"
export * as PaymentProviderTest from "./PaymentProviderTest.ts"
export {
  type Entitlement,
  type Extension,
  entitlementOf,
  type Feature,
  noLimits,
  type Plan,
  type PlanLimits,
  planFault
} from "./Plan.ts"
