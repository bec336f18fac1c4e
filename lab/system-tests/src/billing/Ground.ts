/** The services and records for the long tests of billing. */
import { CompanyWrite } from "@crossdock/audit"
import {
  type Agreement,
  BillingLedger,
  BillingRun,
  type Invoice,
  type PaymentProvider,
  PaymentProviderTest
} from "@crossdock/billing"
import * as Storage from "@crossdock/cli/Storage"
import { DigestNode } from "@crossdock/crypto"
import { type CompanyId, Ids } from "@crossdock/kernel"
import { Layer } from "effect"

/** The billing run on a database. It uses a test's own payment provider, or the provider that moves no money. */
export const services = (
  url: string,
  provider:
    | Layer.Layer<PaymentProvider>
    | Layer.Layer<PaymentProvider | PaymentProviderTest.PaymentSandbox> = PaymentProviderTest.layer
) =>
  BillingRun.layer.pipe(
    Layer.provideMerge(BillingLedger.layer),
    Layer.provideMerge(CompanyWrite.layer),
    Layer.provide(provider),
    Layer.provideMerge(Layer.orDie(Storage.layer(url))),
    Layer.provide(Layer.merge(DigestNode.layer, Ids.layer))
  )

export const agreement = (
  companyId: CompanyId,
  id: string,
  more: Partial<Agreement.Agreement> = {}
): Agreement.Agreement => ({
  companyId,
  id,
  firstId: id,
  kind: "subscription",
  entityId: "ext1",
  name: "Sync",
  currency: "INR",
  isTest: false,
  lines: [
    {
      id: "recurring",
      name: "Sync",
      term: null,
      pricing: "recurring",
      amount: 99_900,
      interval: "month",
      cap: null,
      metadata: null,
      isTest: false
    }
  ],
  status: "pending",
  createdAt: 0,
  activatedAt: null,
  cancelledAt: null,
  confirmation: null,
  trialDays: 0,
  anchor: null,
  billed: 0,
  discount: null,
  credit: 0,
  usage: {},
  version: 0,
  ...more
})

/** Invoice number `nth`, which is due at once. */
export const invoice = (companyId: CompanyId, nth: number): Invoice.Invoice => ({
  companyId,
  id: `i${nth}`,
  agreementId: "a",
  index: nth,
  period: { start: 0, end: 0 },
  currency: "INR",
  items: [],
  subtotal: 100,
  total: 100,
  number: `N-${nth}`,
  status: "open",
  seller: { name: "", addressLines: [], taxNumber: null, bank: null },
  client: { name: "", email: null, phone: null, addressLines: [] },
  createdAt: 0,
  modifiedAt: 0,
  trail: [],
  payment: { state: "none", attempts: 0, nextAt: 0 },
  version: 1
})
