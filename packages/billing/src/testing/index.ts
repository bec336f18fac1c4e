import { CompanyId } from "@crossdock/kernel"
import * as Agreement from "../Agreement.ts"
import { Limits } from "../BillingPolicy.ts"

/** A recurring line of 30,000 minor units a month. `changes` replaces any field. */
export const line = (changes: Partial<Agreement.Line> = {}): Agreement.Line => ({
  id: "recurring",
  name: "Sync",
  term: null,
  pricing: "recurring",
  amount: 30_000,
  interval: "month",
  cap: null,
  metadata: null,
  isTest: false,
  ...changes
})

const createdAt = Date.UTC(2026, 0, 31, 10)

/** A subscription of company 1 with one line. It was created on 31 January 2026 at 10:00 UTC and isn't confirmed yet. */
export const pendingSubscription = (changes: Partial<Agreement.Agreement> = {}): Agreement.Agreement => ({
  ...Agreement.begin({
    companyId: CompanyId.make(1),
    id: "a",
    kind: "subscription",
    entityId: "ext1",
    name: "Sync",
    currency: "INR",
    isTest: false,
    lines: [line()],
    createdAt,
    confirmation: {
      returnUrl: "https://seller.example",
      digest: "digest",
      expiresAt: createdAt + Limits.pendingMillis
    },
    trialDays: 0
  }),
  ...changes
})
