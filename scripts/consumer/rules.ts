/** A program in an installed project that uses the rules without a host. */
import { deepStrictEqual } from "node:assert/strict"
import { StockUpdate } from "@crossdock/inventory"
import { stockLevel } from "@crossdock/inventory/testing"
import { Lifecycle } from "@crossdock/shipments"
import { placedShipment } from "@crossdock/shipments/testing"
import * as Result from "effect/Result"

const packed = Lifecycle.move(placedShipment(), { _tag: "Pack" }, 0)
deepStrictEqual(Result.isFailure(packed) && packed.failure.details.current, "placed")

const level = stockLevel({ sku: "85123A", location: "BLR1", onHand: 5 })
const record = { sku: "85123A", location: "BLR1", quantity: 7, expected: 5 }
const updated = StockUpdate.applyUpdates("set", [{ index: 0, record, level }])
deepStrictEqual(updated.length, 1)

console.log("rules ran")
