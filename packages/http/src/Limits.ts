/** The limits of requests. Source: docs/reference/requests.md and docs/reference/bulk.md. */
import { operatorSeconds, SignInAttempts, tokenSeconds } from "@crossdock/access"
import { Limits as Billing } from "@crossdock/billing"
import { Level } from "@crossdock/inventory"
import { Idempotency, Text } from "@crossdock/kernel"

/** All limits of requests. Those that a domain checks are constants in its own package. */
export const Limits = {
  bodyBytes: 1024 * 1024,
  catalogBodyBytes: 5 * 1024 * 1024,
  /** Levels of nested JSON; the outermost container is level 1. */
  nesting: 32,
  /** Code points of a text field without a limit of its own. */
  textLength: Text.maxLength,
  /** Code points of a key or text inside a free-form object. */
  freeFormTextLength: Text.maxFreeFormLength,
  /** Code points of the QR code of an invoice, the capacity of a QR code. */
  qrCodeLength: 2_900,
  /** Code points of a signed invoice. */
  signedInvoiceLength: 100_000,
  idempotencyKeyLength: Idempotency.maxKeyLength,
  /** Hours for which the answer to an Idempotency-Key is stored. */
  idempotencyHours: Idempotency.answerMillis / 3_600_000,
  /** Hours for which an access token is valid. */
  tokenHours: tokenSeconds / 3_600,
  /** Hours for which an operator's access token is valid. */
  operatorHours: operatorSeconds / 3_600,
  /** Failed sign-ins within a minute, after which the next one is rejected. */
  failedSignIns: SignInAttempts.maxFailures,
  /** Entries of `errors` in one answer. The message has the number of the other faults. */
  errorEntries: 1_000,
  /** Records of one price or stock update. */
  bulkRecords: 500,
  /** Records of one shipment operation, or of a marketplace's awb or status request. */
  shipmentRecords: 20,
  /** Sellers that an operator registers in one bulk. */
  sellerRecords: 100,
  /** Items on a page of the operator interface. */
  operatorPageSize: 500,
  /** Products of one create, update or delete. */
  catalogRecords: 100,
  quantity: Level.maxUnits,
  /** Centimetres or grams of a measure. */
  measure: 1_000_000_000,
  /** The largest absolute value of a reason code. */
  reasonCode: 1_000_000_000,
  pageNumber: 1_000_000_000,
  catalogPageSize: 200,
  /** Values of a comma-separated list in a query. */
  queryValues: 200,
  listingsPageSize: 500,
  /** SKUs of one read of listings. */
  listingSkus: 10,
  shipmentsPageSize: 100,
  auditPageSize: 100,
  invoicesPageSize: 100,
  subscriptionLines: Billing.lines,
  /** Hours within which a company accepts or declines a charge. */
  confirmHours: Billing.pendingMillis / 3_600_000,
  trialDays: 3_650
} as const
