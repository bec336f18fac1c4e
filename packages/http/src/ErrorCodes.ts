/**
 * Every code that a caller can get: what it means and what to do. The page `/docs/errors` and the tables of
 * docs/reference/errors.md are made from these tables and from `productErrorCodes` of catalog.
 */
import { Limits } from "./Limits.ts"

/** Why a code is answered, and what its caller does. `see` leads to more about it in docs/reference. */
export interface CodeText {
  readonly cause: string
  readonly fix: string
  readonly see?: string
}

interface AnswerText extends CodeText {
  readonly status: number
}

/**
 * The codes of answers outside 2xx; each has one status. A `Failure` can have no other. Source:
 * docs/reference/errors.md#codes.
 */
export const answerCodes = {
  MALFORMED_JSON: {
    status: 400,
    cause: "The body is not JSON in UTF-8.",
    fix: "Correct the place that the message names."
  },
  VALIDATION_FAILED: {
    status: 400,
    cause: "A field or parameter is missing, wrong, or out of its limits.",
    fix: "Correct everything that `errors` lists, or what the message names."
  },
  UNKNOWN_PARAMETER: {
    status: 400,
    cause: "The route has no such query parameter.",
    fix: "Correct its name; `suggestion` has the one that was probably meant.",
    see: "requests.md#unknown-parameters"
  },
  EMPTY_REQUEST: { status: 400, cause: "There is no body, or its list is empty.", fix: "Send at least one record." },
  TOO_MANY_RECORDS: {
    status: 400,
    cause: "The list has more records than one request may have.",
    fix: "Split the request.",
    see: "bulk.md#limits"
  },
  TOO_DEEP: {
    status: 400,
    cause: `The JSON is nested more than ${Limits.nesting} levels deep.`,
    fix: "Flatten the body.",
    see: "requests.md#nesting"
  },
  FORBIDDEN_KEY: {
    status: 400,
    cause: "The body has a key that no body may have.",
    fix: "Rename or remove it.",
    see: "requests.md#forbidden-keys"
  },
  QUERY_CREDENTIALS_DISABLED: {
    status: 400,
    cause: "This host takes no credentials in the URL.",
    fix: "Sign in by POST or HTTP Basic.",
    see: "authentication.md#query-credentials"
  },
  UNKNOWN_LOCATION: {
    status: 400,
    cause: "The company has no such location, or the location is not mapped to the marketplace.",
    fix: "Correct the code."
  },
  UNKNOWN_SKU: {
    status: 400,
    cause: "An order names a SKU that is not in the catalog, or not sold there.",
    fix: "Correct the SKU."
  },
  TOTAL_MISMATCH: {
    status: 400,
    cause: "An order's total or payment methods don't add up.",
    fix: "Correct the amounts; the message has both sums.",
    see: "orders.md#totals"
  },
  CURRENCY_MISMATCH: {
    status: 400,
    cause: "An order is not in the currency of its locations.",
    fix: "Send it in the location's currency."
  },
  DUPLICATE_LINE: {
    status: 400,
    cause: "Two lines of an order's shipment have the same external_line_id.",
    fix: "Give each line its own.",
    see: "orders.md#line-ids"
  },
  DOCUMENT_TOO_LARGE: {
    status: 400,
    cause: "The document would have more than 1,000 pages.",
    fix: "Ask for fewer shipments at once."
  },
  L400: { status: 400, cause: "Labels: there is no such shipment.", fix: "Correct the id." },
  L403: {
    status: 400,
    cause: "Labels: the shipment is not packed yet.",
    fix: "Pack it first.",
    see: "documents.md#labels"
  },
  IN400: { status: 400, cause: "Invoice PDF: there is no such shipment.", fix: "Correct the id." },
  IN403: {
    status: 400,
    cause: "Invoice PDF: the shipment is not packed yet.",
    fix: "Pack it first.",
    see: "documents.md#invoices"
  },
  TOKEN_MISSING: { status: 401, cause: "No token was sent.", fix: "Sign in, and send the token." },
  TOKEN_INVALID: {
    status: 401,
    cause: "The token or signed link is damaged, is another interface's, or has been revoked.",
    fix: "Sign in again, or read the link again."
  },
  TOKEN_EXPIRED: {
    status: 401,
    cause: `The token is older than ${Limits.tokenHours} hours, or the signed link has expired.`,
    fix: "Sign in again, or read the link again."
  },
  CREDENTIALS_INVALID: {
    status: 401,
    cause: "The username or password is wrong; an unknown username gets the same answer.",
    fix: "Check both."
  },
  FORBIDDEN: { status: 403, cause: "The token is valid but lacks the right.", fix: "Use a token that has it." },
  ROUTE_NOT_FOUND: {
    status: 404,
    cause: "There is no such path.",
    fix: "Correct it: case counts, and so does a trailing slash."
  },
  NOT_FOUND: {
    status: 404,
    cause: "This caller has no such resource; another company's is 404 too.",
    fix: "Check the id."
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    cause: "The path exists, with other methods.",
    fix: "Use a method that `Allow` lists."
  },
  ORDER_EXISTS: {
    status: 409,
    cause: "The external_order_id has an order with other content; `errors` names the fields that differ.",
    fix: "Use a new id, or send the same content.",
    see: "orders.md#repeats"
  },
  CONFLICT: {
    status: 409,
    cause: "What runs already forbids it: a charge or plan in another currency can't replace a paid one.",
    fix: "Cancel the running one first, or choose one in its currency.",
    see: "billing.md#replacing"
  },
  INSUFFICIENT_STOCK: {
    status: 409,
    cause: "There is too little sellable stock; `errors` names the lines.",
    fix: "Lower the quantities, or order from another location."
  },
  IDEMPOTENCY_IN_FLIGHT: {
    status: 409,
    cause: "The first request with this Idempotency-Key is still running.",
    fix: "Wait, then send it again.",
    see: "requests.md#idempotency"
  },
  BODY_TOO_LARGE: {
    status: 413,
    cause: "The body is larger than the route takes, or what it would write is larger than the host's storage takes.",
    fix: "Split the request.",
    see: "requests.md#body-size"
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    cause: "The body has a content type that the route does not take, or is compressed.",
    fix: "Send JSON with `content-type: application/json` and without `content-encoding`."
  },
  IDEMPOTENCY_MISMATCH: {
    status: 422,
    cause: "The Idempotency-Key was used with another query or body.",
    fix: "Use a new key for a new request.",
    see: "requests.md#idempotency"
  },
  TOO_MANY_REQUESTS: {
    status: 429,
    cause: "The account or its address sent too many requests.",
    fix: "Wait for `retry-after`, and send fewer at once.",
    see: "host.md#limits"
  },
  TOO_MANY_ATTEMPTS: {
    status: 429,
    cause: "There were too many failed sign-ins, or too many at once.",
    fix: "Wait for `retry-after`.",
    see: "authentication.md#sign-in-limit"
  },
  DOCUMENTS_BUSY: {
    status: 429,
    cause: "100 documents are queued already.",
    fix: "Try again after `retry-after`."
  },
  INTERNAL_SERVER_ERROR: {
    status: 500,
    cause: "The service has a defect; its log has the cause under the request id.",
    fix: "Send it again; if it fails again, report the request id."
  },
  STORAGE_UNAVAILABLE: {
    status: 503,
    cause: "The storage does not answer, or the host is stopping.",
    fix: "Try again after `retry-after`."
  },
  DOCUMENT_TOO_SLOW: {
    status: 503,
    cause: "Drawing the document took longer than 20 seconds.",
    fix: "Ask for fewer shipments at once."
  },
  MALFORMED_HTTP: { status: 400, cause: "The bytes are not HTTP.", fix: "Use an HTTP/1.1 client." },
  REQUEST_TIMEOUT: { status: 408, cause: "The request did not arrive in time.", fix: "Send it again." },
  EXPECTATION_FAILED: {
    status: 417,
    cause: "The header `Expect` has another value than `100-continue`.",
    fix: "Leave it out."
  },
  HEADERS_TOO_LARGE: { status: 431, cause: "The headers are too large.", fix: "Send shorter ones." }
} as const satisfies Readonly<Record<string, AnswerText>>

/** The code of an answer outside 2xx. */
export type AnswerCode = keyof typeof answerCodes

/**
 * The codes of entries of `errors` in a request that is accepted or rejected as a whole. Source:
 * docs/reference/errors.md#field-codes.
 */
export const fieldCodes = {
  REQUIRED: { cause: "A required field is missing or empty.", fix: "Send it." },
  INVALID_TYPE: { cause: "The value has another JSON type.", fix: "Send the type that the message names." },
  INVALID_VALUE: {
    cause: "The value is not allowed here, or does not fit its pattern.",
    fix: "Send one that the message names."
  },
  OUT_OF_RANGE: {
    cause: "A number, amount, date or list is beyond its bounds.",
    fix: "Stay within what the message names."
  },
  TOO_LONG: { cause: "A text has more characters than its limit.", fix: "Shorten it.", see: "requests.md#text" },
  TOO_SHORT: { cause: "A text has fewer characters than it needs.", fix: "Lengthen it." },
  INVALID_TEXT: {
    cause: "A text has control characters or half of a surrogate pair.",
    fix: "Remove them.",
    see: "requests.md#text"
  },
  INVALID_CURRENCY: { cause: "The currency is not one of ISO 4217.", fix: "Send a code such as INR." },
  USERNAME_TAKEN: { cause: "An account of another company has this username.", fix: "Choose another." },
  CURRENCY_MISMATCH: {
    cause: "The currency differs from that of the first line, the running subscription, or the mapped location.",
    fix: "Send the same currency."
  },
  TOO_MANY_DECIMALS: {
    cause: "The amount has more decimals than its currency.",
    fix: "Round it yourself.",
    see: "requests.md#money"
  },
  DUPLICATE_RECORD: { cause: "The same key appears twice in one request.", fix: "Send it once." },
  EMPTY_REQUEST: { cause: "The list that the request is about is empty.", fix: "Send at least one element." },
  UNKNOWN_PARAMETER: {
    cause: "The route has no such query parameter.",
    fix: "Correct its name.",
    see: "requests.md#unknown-parameters"
  },
  UNKNOWN_SKU: { cause: "The SKU is not in the catalog, or not sold there.", fix: "Correct the SKU." },
  UNKNOWN_LOCATION: { cause: "There is no such location.", fix: "Correct the code." },
  TOTAL_MISMATCH: { cause: "The amount is not the sum of its parts.", fix: "Correct it." },
  DUPLICATE_LINE: { cause: "Another line of the shipment has the same external_line_id.", fix: "Give it its own." },
  INSUFFICIENT_STOCK: { cause: "The line asks for more than is sellable.", fix: "Lower its quantity." },
  ORDER_EXISTS: { cause: "The field differs from the order that exists.", fix: "Send the same, or use a new id." },
  NOT_FOUND: { cause: "Nothing has this id.", fix: "Correct it." }
} as const satisfies Readonly<Record<string, CodeText>>

interface RecordText extends CodeText {
  readonly operations: string
}

/**
 * The codes of entries of `errors` in the result of a bulk; those of shipments are `shipmentCodes`. Source:
 * docs/reference/errors.md#record-codes.
 */
export const recordCodes = {
  INVALID_RECORD: {
    operations: "all",
    cause: "The record has the wrong shape; the message lists every fault.",
    fix: "Correct the record."
  },
  INVALID_TEXT: {
    operations: "all",
    cause: "A text of the record has characters that no text may have.",
    fix: "Remove them.",
    see: "requests.md#text"
  },
  VALIDATION_FAILED: {
    operations: "marketplace's awb and status",
    cause: "isSelfShip is not true, or autoDispatch is not false.",
    fix: "Send both as the interface asks.",
    see: "orders.md#awb-and-status"
  },
  UNKNOWN_SKU: {
    operations: "price, inventory",
    cause: "The SKU is not in the company's catalog.",
    fix: "Create the product first."
  },
  UNKNOWN_LOCATION: {
    operations: "price, inventory",
    cause: "The location is not the company's, or not the token's.",
    fix: "Correct the code."
  },
  DUPLICATE_RECORD: {
    operations: "price, inventory",
    cause: "A record for the same SKU and location was accepted earlier in this request.",
    fix: "Send it once."
  },
  NEGATIVE_STOCK: {
    operations: "inventory",
    cause: "The stock on hand would be negative.",
    fix: "Check the adjustment.",
    see: "stock.md"
  },
  STALE_QUANTITY: {
    operations: "inventory",
    cause: "The stock on hand is not `expected_quantity`; the entry has `current_quantity`.",
    fix: "Read, decide again, send again.",
    see: "stock.md"
  },
  INVALID_CURRENCY: { operations: "price", cause: "The currency is not one of ISO 4217.", fix: "Correct the code." },
  TOO_MANY_DECIMALS: {
    operations: "price",
    cause: "The amount has more decimals than its currency.",
    fix: "Round it yourself."
  },
  CURRENCY_MISMATCH: {
    operations: "price",
    cause: "The currency is not the location's.",
    fix: "Send the location's currency."
  },
  ESP_ABOVE_MRP: { operations: "price", cause: "The selling price is above the MRP.", fix: "Lower it." },
  SHIPMENT_LOCKED: {
    operations: "every move of a shipment",
    cause: "The shipment is locked.",
    fix: "Read the shipment; try again when its lockStatus is false.",
    see: "shipments.md#locked"
  }
} as const satisfies Readonly<Record<string, RecordText>>

const noShipment = { cause: "There is no such shipment.", fix: "Correct the id." }
const notPacked = { cause: "The shipment is not packed yet.", fix: "Pack it first." }

/**
 * The codes of the reads of shipments; those of a move are declared with it, in `seller/ShipmentMoves`. Source:
 * docs/reference/errors.md#shipment-codes.
 */
export const shipmentReadCodes = {
  courierDetails: { C404: noShipment },
  labels: { L400: noShipment, L403: notPacked },
  invoice: { IN400: noShipment, IN403: notPacked }
}
