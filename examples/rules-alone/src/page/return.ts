/** Shows the money of a partial return. */
import { returned } from "../Money.ts"
import { byId, numberIn, row } from "./Elements.ts"

const show = () => {
  const quantity = Math.max(1, Math.trunc(numberIn("return-quantity")))
  const units = Math.min(quantity, Math.max(0, Math.trunc(numberIn("return-units"))))
  const line = {
    quantity,
    esp: numberIn("return-esp"),
    discount: numberIn("return-discount"),
    coupon: numberIn("return-coupon"),
    delivery: numberIn("return-delivery"),
    taxRate: numberIn("return-rate")
  }
  const titles = ["", "Kept", "Returned", "Whole line"]
  byId("return-rows").replaceChildren(...returned(line, units).map((cells) => row(titles, ...cells)))
}

byId("return").addEventListener("input", show)
show()
