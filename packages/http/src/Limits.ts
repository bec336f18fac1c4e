/** The limits of requests. Source: docs/reference/requests.md and docs/reference/bulk.md. */
import { operatorSeconds, SignInAttempts, tokenSeconds } from "@crossdock/access"
import { Limits as Billing } from "@crossdock/billing"
import { Level } from "@crossdock/inventory"
import { Idempotency, Text } from "@crossdock/kernel"

/** Limits of a domain are constants in its own package. */
export const Limits = {
  /** Bytes of a body. */
  bodyBytes: 1024 * 1024,
  /** Bytes of the body of a catalog write. */
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
  /** Characters of an Idempotency-Key. */
  idempotencyKeyLength: 255,
  /** Hours for which the answer to an Idempotency-Key is stored. */
  idempotencyHours: Idempotency.answerMillis / 3_600_000,
  /** Hours for which an access token is valid. */
  tokenHours: tokenSeconds / 3_600,
  /** Hours for which an operator's access token is valid. */
  operatorHours: operatorSeconds / 3_600,
  /** Failed sign-ins within a minute, after which the next one is rejected. */
  failedSignIns: SignInAttempts.maxFailures,
  /** Entries of `errors` in one answer; its message counts the others. */
  errorEntries: 1_000,
  /** Records of one price or stock update. */
  bulkRecords: 500,
  /** Records of one shipment operation, or of a marketplace's awb or status request. */
  shipmentRecords: 20,
  /** Sellers of one bulk of the operator's. */
  sellerRecords: 100,
  /** Items on a page of the operator interface. */
  operatorPageSize: 500,
  /** Products of one create, update or delete. */
  catalogRecords: 100,
  /** Units of one quantity. */
  quantity: Level.maxUnits,
  /** Centimetres or grams of a measure. */
  measure: 1_000_000_000,
  /** A reason code, in either direction from 0. */
  reasonCode: 1_000_000_000,
  /** The number of a page. */
  pageNumber: 1_000_000_000,
  /** Records on a page of the catalog. */
  catalogPageSize: 200,
  /** Values of a comma-separated list in a query. */
  queryValues: 200,
  /** Rows on a page of listings. */
  listingsPageSize: 500,
  /** SKUs of one read of listings. */
  listingSkus: 10,
  /** Shipments on a page. */
  shipmentsPageSize: 100,
  /** Audit records on a page. */
  auditPageSize: 100,
  /** Billing invoices on a page. */
  invoicesPageSize: 100,
  /** Line items of a subscription. */
  subscriptionLines: Billing.lines,
  /** Hours within which a company accepts or declines a charge. */
  confirmHours: Billing.pendingMillis / 3_600_000,
  /** Days of a trial. */
  trialDays: 3_650
} as const
