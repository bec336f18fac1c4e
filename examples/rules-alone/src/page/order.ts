/** Shows the price and the taxes of an order. */
import * as Result from "effect/Result"
import { priced } from "../Money.ts"
import { byId, element, numberIn, row } from "./Elements.ts"

const show = () => {
  const line = {
    quantity: numberIn("order-quantity"),
    esp: numberIn("order-esp"),
    discount: numberIn("order-discount"),
    coupon: numberIn("order-coupon"),
    delivery: numberIn("order-delivery"),
    taxRate: numberIn("order-rate")
  }
  const [from, to] = ["order-from", "order-to"].map((id) => byId<HTMLInputElement>(id).value)
  const result = priced(line, from ?? "", to ?? "")
  byId("order-rows").replaceChildren(
    ...Result.match(result, {
      onFailure: (faults) => faults.map((fault) => row([], fault)),
      onSuccess: (rows) => rows.map((cells) => row(["", "INR"], ...cells))
    })
  )
  byId("order-verdict").replaceChildren(
    element("span", Result.isSuccess(result) ? "The order adds up." : "The order would be rejected:")
  )
}

byId("order").addEventListener("input", show)
show()
