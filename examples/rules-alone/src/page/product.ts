/** Checks the product on each keystroke. */
import { violationsIn } from "../Judgement.ts"
import { product } from "../Sample.ts"
import { byId, row } from "./Elements.ts"

const input = byId<HTMLTextAreaElement>("product")

const judge = () => {
  const violations = violationsIn(input.value)
  const count = violations.length
  byId("verdict").textContent =
    count === 0 ? "Valid: it would be created." : `${count} violation${count === 1 ? "" : "s"}`
  byId("violations").replaceChildren(
    ...violations.map(({ code, message, path, suggestion }) =>
      row(["Code", "Path", "Message"], code, path, suggestion === undefined ? message : `${message} (${suggestion}?)`)
    )
  )
}

input.value = JSON.stringify(product, null, 2)
input.addEventListener("input", judge)
judge()
