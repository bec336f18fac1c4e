import { OrderConsistency } from "@crossdock/orders"
import { orderDraft } from "@crossdock/orders/testing"
import { it } from "@effect/vitest"
import { strictEqual } from "@effect/vitest/utils"
import { Result } from "effect"

it("An order without a shipment is rejected at its shipments", () => {
  const { code, violations } = Result.getOrThrow(Result.flip(OrderConsistency.check(orderDraft({ shipments: [] }), [])))
  strictEqual(code, "VALIDATION_FAILED")
  strictEqual(violations[0]?.path, "/shipments")
})
