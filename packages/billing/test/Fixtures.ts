/** Agreements to bill, and the services that bill them. */
import { CompanyWrite } from "@crossdock/audit"
import { Billing, BillingLedger, BillingRun, nothingAllowed, PaymentProviderTest, type Plan } from "@crossdock/billing"
import { line, pendingSubscription } from "@crossdock/billing/testing"
import { DigestNode, NonceNode } from "@crossdock/crypto"
import { BackgroundLoop, CompanyId, Ids } from "@crossdock/kernel"
import { StorageMemory } from "@crossdock/storage-memory"
import { Layer } from "effect"

export { line, pendingSubscription as pending }

export const company = CompanyId.make(1)

export const start = pendingSubscription().createdAt

export const oneTime = line({ id: "once", name: "Set-up", pricing: "one_time", amount: 5_000, interval: null })
export const usage = line({ id: "usage", name: "Messages", pricing: "usage", amount: 100, interval: null, cap: 2_000 })

export const caller = { principal: { kind: "system", id: "test" }, requestId: null } as const

/** A monthly plan. */
export const plan = (id: string, amount: number, trialDays = 0): Plan => ({
  id,
  name: id,
  description: id,
  amount,
  currency: "INR",
  interval: "month",
  trialDays,
  productSuite: null,
  isActive: true,
  limits: nothingAllowed,
  createdAt: 0,
  modifiedAt: 0
})

/** Billing in memory, with a provider whose behaviour the test sets. */
export const services = Layer.mergeAll(Billing.layer, BillingRun.layer).pipe(
  Layer.provideMerge(BillingLedger.layer),
  Layer.provideMerge(CompanyWrite.layer),
  Layer.provideMerge(Layer.mergeAll(StorageMemory.layer, PaymentProviderTest.layer)),
  Layer.provideMerge(BackgroundLoop.registry),
  Layer.provideMerge(Layer.mergeAll(DigestNode.layer, NonceNode.layer, Ids.layer))
)
