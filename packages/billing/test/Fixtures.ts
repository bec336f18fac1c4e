/**
 * Agreements to bill.
 */
import type { Agreement } from "@crossdock/billing"
import { CompanyId } from "@crossdock/kernel"

export const company = CompanyId.make(1)

export const start = Date.UTC(2026, 0, 31, 10)

export const line = (more: Partial<Agreement.Line> = {}): Agreement.Line => ({
  id: "recurring",
  name: "Sync",
  term: null,
  pricing: "recurring",
  amount: 30_000,
  interval: "month",
  cap: null,
  metadata: null,
  isTest: false,
  ...more
})

export const oneTime = line({ id: "once", name: "Set-up", pricing: "one_time", amount: 5_000, interval: null })
export const usage = line({ id: "usage", name: "Messages", pricing: "usage", amount: 100, interval: null, cap: 2_000 })

export const pending = (more: Partial<Agreement.Agreement> = {}): Agreement.Agreement => ({
  companyId: company,
  id: "a",
  kind: "subscription",
  entityId: "ext1",
  name: "Sync",
  currency: "INR",
  isTest: false,
  lines: [line()],
  status: "pending",
  createdAt: start,
  activatedAt: null,
  cancelledAt: null,
  confirmation: { returnUrl: "https://seller.example", digest: "digest", expiresAt: start + 48 * 3_600_000 },
  trialDays: 0,
  anchor: null,
  billed: 0,
  lastBilled: 0,
  discount: null,
  credit: 0,
  usage: {},
  version: 0,
  ...more
})
