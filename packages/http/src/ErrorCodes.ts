/** Every error code with its meaning and remedy. `/docs/errors` and docs/reference/errors.md are made from this. */
import { Limits } from "./Limits.ts"

/** The cause of a code and the caller's remedy. `see` links to its section in docs/reference. */
export interface CodeText {
  readonly cause: string
  readonly fix: string
  readonly see?: string
}

const text = (cause: string, fix: string, see?: string): CodeText => ({
  cause,
  fix,
  ...(see === undefined ? {} : { see })
})

const answer = (status: number, ...texts: Parameters<typeof text>) => ({ status, ...text(...texts) })

/** The codes of answers with a status outside 2xx, each with one status. Source: docs/reference/errors.md#codes. */
export const answerCodes = {
  MALFORMED_JSON: answer(400, "The body is not JSON in UTF-8.", "Correct the place that the message names."),
  VALIDATION_FAILED: answer(
    400,
    "A field or parameter is missing, wrong, or out of its limits.",
    "Correct every fault in `errors`, or the one in the message."
  ),
  UNKNOWN_PARAMETER: answer(
    400,
    "The route has no such query parameter.",
    "Correct its name; `suggestion` has the one that was probably meant.",
    "requests.md#unknown-parameters"
  ),
  EMPTY_REQUEST: answer(400, "There is no body, or its list is empty.", "Send at least one record."),
  TOO_MANY_RECORDS: answer(
    400,
    "The list has more records than one request may have.",
    "Split the request.",
    "bulk.md#limits"
  ),
  TOO_DEEP: answer(
    400,
    `The JSON is nested more than ${Limits.nesting} levels deep.`,
    "Flatten the body.",
    "requests.md#nesting"
  ),
  FORBIDDEN_KEY: answer(
    400,
    "The body has a key that no body may have.",
    "Rename or remove it.",
    "requests.md#forbidden-keys"
  ),
  QUERY_CREDENTIALS_DISABLED: answer(
    400,
    "This host takes no credentials in the URL.",
    "Sign in by POST or HTTP Basic.",
    "authentication.md#query-credentials"
  ),
  UNKNOWN_LOCATION: answer(
    400,
    "The company has no such location, or the location is not mapped to the marketplace.",
    "Correct the code."
  ),
  UNKNOWN_SKU: answer(400, "An order names a SKU that is not in the catalog, or not sold there.", "Correct the SKU."),
  TOTAL_MISMATCH: answer(
    400,
    "An order's total or payment methods don't add up.",
    "Correct the amounts; the message has both sums.",
    "orders.md#totals"
  ),
  CURRENCY_MISMATCH: answer(
    400,
    "An order is not in the currency of its locations.",
    "Send it in the location's currency."
  ),
  DUPLICATE_LINE: answer(
    400,
    "Two lines of an order's shipment have the same external_line_id.",
    "Give each line its own.",
    "orders.md#line-ids"
  ),
  DOCUMENT_TOO_LARGE: answer(400, "The document would have more than 1,000 pages.", "Ask for fewer shipments at once."),
  L400: answer(400, "Labels: there is no such shipment.", "Correct the id."),
  L403: answer(400, "Labels: the shipment is not packed yet.", "Pack it first.", "documents.md#labels"),
  IN400: answer(400, "Invoice PDF: there is no such shipment.", "Correct the id."),
  IN403: answer(400, "Invoice PDF: the shipment is not packed yet.", "Pack it first.", "documents.md#invoices"),
  TOKEN_MISSING: answer(401, "No token was sent.", "Sign in, and send the token."),
  TOKEN_INVALID: answer(
    401,
    "The token or signed link is damaged, is another interface's, or has been revoked.",
    "Sign in again, or read the link again."
  ),
  TOKEN_EXPIRED: answer(
    401,
    `The token is older than ${Limits.tokenHours} hours, or the signed link has expired.`,
    "Sign in again, or read the link again."
  ),
  CREDENTIALS_INVALID: answer(
    401,
    "The username or password is wrong; an unknown username gets the same answer.",
    "Check both."
  ),
  FORBIDDEN: answer(403, "The token is valid but lacks the right.", "Use a token that has it."),
  ROUTE_NOT_FOUND: answer(404, "There is no such path.", "Correct it: case counts, and so does a trailing slash."),
  NOT_FOUND: answer(404, "This caller has no such resource; another company's is 404 too.", "Check the id."),
  METHOD_NOT_ALLOWED: answer(405, "The path exists, with other methods.", "Use a method that `Allow` lists."),
  ORDER_EXISTS: answer(
    409,
    "The external_order_id has an order with other content; `errors` names the fields that differ.",
    "Use a new id, or send the same content.",
    "orders.md#repeats"
  ),
  CONFLICT: answer(
    409,
    "A charge or plan in another currency can't replace a paid one.",
    "Cancel the running one first, or choose one in its currency.",
    "billing.md#replacing"
  ),
  INSUFFICIENT_STOCK: answer(
    409,
    "There is too little sellable stock; `errors` names the lines.",
    "Lower the quantities, or order from another location."
  ),
  IDEMPOTENCY_IN_FLIGHT: answer(
    409,
    "The first request with this Idempotency-Key is still running.",
    "Wait, then send it again.",
    "requests.md#idempotency"
  ),
  BODY_TOO_LARGE: answer(
    413,
    "The body is larger than the route takes, or its values are larger than the host's storage takes.",
    "Split the request.",
    "requests.md#body-size"
  ),
  UNSUPPORTED_MEDIA_TYPE: answer(
    415,
    "The body has a content type that the route does not take, or is compressed.",
    "Send JSON with `content-type: application/json` and without `content-encoding`."
  ),
  IDEMPOTENCY_MISMATCH: answer(
    422,
    "The Idempotency-Key was used with another query or body.",
    "Use a new key for a new request.",
    "requests.md#idempotency"
  ),
  TOO_MANY_REQUESTS: answer(
    429,
    "The account or its address sent too many requests.",
    "Wait for `retry-after`, and send fewer at once.",
    "host.md#limits"
  ),
  TOO_MANY_ATTEMPTS: answer(
    429,
    "Too many failed or concurrent sign-ins.",
    "Wait for `retry-after`.",
    "authentication.md#sign-in-limit"
  ),
  DOCUMENTS_BUSY: answer(429, "100 documents are queued already.", "Try again after `retry-after`."),
  INTERNAL_SERVER_ERROR: answer(
    500,
    "The service has a defect; its log has the cause under the request id.",
    "Send it again; if it fails again, report the request id."
  ),
  STORAGE_UNAVAILABLE: answer(
    503,
    "The storage does not answer, or the host is stopping.",
    "Try again after `retry-after`."
  ),
  DOCUMENT_TOO_SLOW: answer(
    503,
    "Drawing the document took longer than 20 seconds.",
    "Ask for fewer shipments at once."
  ),
  MALFORMED_HTTP: answer(400, "The bytes are not HTTP.", "Use an HTTP/1.1 client."),
  REQUEST_TIMEOUT: answer(408, "The request did not arrive in time.", "Send it again."),
  EXPECTATION_FAILED: answer(417, "The header `Expect` has another value than `100-continue`.", "Leave it out."),
  HEADERS_TOO_LARGE: answer(431, "The headers are too large.", "Send shorter ones.")
}

/** The code of an answer with a status outside 2xx. */
export type AnswerCode = keyof typeof answerCodes

/** The codes of faults in requests accepted or rejected as a whole. Source: docs/reference/errors.md#field-codes. */
export const fieldCodes = {
  REQUIRED: text("A required field is missing or empty.", "Send it."),
  INVALID_TYPE: text("The value has another JSON type.", "Send the type that the message names."),
  INVALID_VALUE: text(
    "The value is not allowed here, or does not fit its pattern.",
    "Send one that the message names."
  ),
  OUT_OF_RANGE: text("A number, amount, date or list is beyond its bounds.", "Stay within the bounds in the message."),
  TOO_LONG: text("A text has more characters than its limit.", "Shorten it.", "requests.md#text"),
  TOO_SHORT: text("A text has fewer characters than it needs.", "Lengthen it."),
  INVALID_TEXT: text("A text has control characters or half of a surrogate pair.", "Remove them.", "requests.md#text"),
  INVALID_CURRENCY: text("The currency is not one of ISO 4217.", "Send a code such as INR."),
  USERNAME_TAKEN: text("An account of another company has this username.", "Choose another."),
  CURRENCY_MISMATCH: text(
    "The currency differs from that of the first line, the running subscription, or the mapped location.",
    "Send the same currency."
  ),
  TOO_MANY_DECIMALS: text("The amount has more decimals than its currency.", "Round it yourself.", "requests.md#money"),
  DUPLICATE_RECORD: text("The same key appears twice in one request.", "Send it once."),
  EMPTY_REQUEST: text("The list that the request is about is empty.", "Send at least one element."),
  UNKNOWN_PARAMETER: text(
    "The route has no such query parameter.",
    "Correct its name.",
    "requests.md#unknown-parameters"
  ),
  UNKNOWN_SKU: text("The SKU is not in the catalog, or not sold there.", "Correct the SKU."),
  UNKNOWN_LOCATION: text("There is no such location.", "Correct the code."),
  TOTAL_MISMATCH: text("The amount is not the sum of its parts.", "Correct it."),
  DUPLICATE_LINE: text("Another line of the shipment has the same external_line_id.", "Give it its own."),
  INSUFFICIENT_STOCK: text("The line asks for more than is sellable.", "Lower its quantity."),
  ORDER_EXISTS: text("The field differs from the order that exists.", "Send the same, or use a new id."),
  NOT_FOUND: text("Nothing has this id.", "Correct it.")
}

const record = (operations: string, ...texts: Parameters<typeof text>) => ({ operations, ...text(...texts) })

/** The codes of rejected records, without `shipmentCodes`. Source: docs/reference/errors.md#record-codes. */
export const recordCodes = {
  INVALID_RECORD: record(
    "all",
    "The record has the wrong shape; the message lists every fault.",
    "Correct the record."
  ),
  INVALID_TEXT: record(
    "all",
    "A text of the record has characters that no text may have.",
    "Remove them.",
    "requests.md#text"
  ),
  VALIDATION_FAILED: record(
    "marketplace's awb and status",
    "isSelfShip is not true, or autoDispatch is not false.",
    "Send both as the interface asks.",
    "orders.md#awb-and-status"
  ),
  UNKNOWN_SKU: record("price, inventory", "The SKU is not in the company's catalog.", "Create the product first."),
  UNKNOWN_LOCATION: record(
    "price, inventory",
    "The location is not the company's, or not the token's.",
    "Correct the code."
  ),
  DUPLICATE_RECORD: record(
    "price, inventory",
    "A record for the same SKU and location was accepted earlier in this request.",
    "Send it once."
  ),
  NEGATIVE_STOCK: record("inventory", "The stock on hand would be negative.", "Check the adjustment.", "stock.md"),
  STALE_QUANTITY: record(
    "inventory",
    "The stock on hand is not `expected_quantity`; the entry has `current_quantity`.",
    "Read, decide again, send again.",
    "stock.md"
  ),
  INVALID_CURRENCY: record("price", "The currency is not one of ISO 4217.", "Correct the code."),
  TOO_MANY_DECIMALS: record("price", "The amount has more decimals than its currency.", "Round it yourself."),
  CURRENCY_MISMATCH: record("price", "The currency is not the location's.", "Send the location's currency."),
  ESP_ABOVE_MRP: record("price", "The selling price is above the MRP.", "Lower it."),
  SHIPMENT_LOCKED: record(
    "every move of a shipment",
    "The shipment is locked.",
    "Read the shipment; try again when its lockStatus is false.",
    "shipments.md#locked"
  )
}

const noShipment = text("There is no such shipment.", "Correct the id.")
const notPacked = text("The shipment is not packed yet.", "Pack it first.")

/** The codes of reads of shipments; a move declares its own. Source: docs/reference/errors.md#shipment-codes. */
export const shipmentReadCodes = {
  courierDetails: { C404: noShipment },
  labels: { L400: noShipment, L403: notPacked },
  invoice: { IN400: noShipment, IN403: notPacked }
}
