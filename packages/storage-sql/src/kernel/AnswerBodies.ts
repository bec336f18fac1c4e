/**
 * The stored answers of Idempotency-Keys.
 */
import { type Idempotency, StoredBody } from "@crossdock/kernel"

export const answers = StoredBody.make<Idempotency.StoredAnswer>({
  name: "answer of Idempotency-Key",
  fields: { status: true, contentType: true, body: true }
})
