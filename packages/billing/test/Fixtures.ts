/**
 * Agreements to bill.
 */
import { line, pendingSubscription } from "@crossdock/billing/testing"
import { CompanyId } from "@crossdock/kernel"

export { line, pendingSubscription as pending }

export const company = CompanyId.make(1)

export const start = pendingSubscription().createdAt

export const oneTime = line({ id: "once", name: "Set-up", pricing: "one_time", amount: 5_000, interval: null })
export const usage = line({ id: "usage", name: "Messages", pricing: "usage", amount: 100, interval: null, cap: 2_000 })
