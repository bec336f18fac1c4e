import { DocumentsBusy, DocumentTooLarge, DocumentTooSlow } from "@crossdock/documents"
import { toFailure } from "@crossdock/http"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { Effect } from "effect"

describe("A document that can't be made", () => {
  it.effect("is 503 with Retry-After if too many are queued or it takes too long, and 400 if it is too large", () =>
    Effect.gen(function* () {
      const answers = yield* Effect.forEach(
        [new DocumentsBusy(), new DocumentTooSlow({ seconds: 20 }), new DocumentTooLarge({ limit: 1000 })],
        (error) => Effect.flip(toFailure(error))
      )
      deepStrictEqual(
        answers.map(({ code, headers, status }) => [status, code, headers?.["retry-after"]]),
        [
          [429, "DOCUMENTS_BUSY", "5"],
          [503, "DOCUMENT_TOO_SLOW", "5"],
          [400, "DOCUMENT_TOO_LARGE", undefined]
        ]
      )
    })
  )
})
