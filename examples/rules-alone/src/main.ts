/** The page: judges the product on each keystroke, and shows the allowed moves of a status. */
import { isOperationalStatus } from "@crossdock/shipments"
import { svg } from "./Drawing.ts"
import { violationsIn } from "./Judgement.ts"
import { type Move, movesFrom } from "./Moves.ts"
import { product } from "./Sample.ts"

const byId = <E extends HTMLElement = HTMLElement>(id: string): E => {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`index.html has no #${id}`)
  return found as E
}

/** Text is never read as HTML. */
const element = (name: string, ...children: ReadonlyArray<Node | string>): HTMLElement => {
  const made = document.createElement(name)
  made.append(...children)
  return made
}

const row = (...cells: ReadonlyArray<string>) => element("tr", ...cells.map((cell) => element("td", cell)))

const input = byId<HTMLTextAreaElement>("product")

const judge = () => {
  const violations = violationsIn(input.value)
  const count = violations.length
  byId("verdict").textContent =
    count === 0 ? "Valid: it would be created." : `${count} violation${count === 1 ? "" : "s"}`
  byId("violations").replaceChildren(
    ...violations.map(({ code, message, path, suggestion }) =>
      row(code, path, suggestion === undefined ? message : `${message} (${suggestion}?)`)
    )
  )
}

const drawing = byId("drawing")
drawing.innerHTML = svg

const moveItem = ({ by, conditions, name, note, opensReturn, to }: Move) => {
  const who = by.length === 0 ? "the service" : by.join(" or ")
  const limits = conditions.map((id) => id.replaceAll("-", " "))
  const details = [...(limits.length === 0 ? [] : [`only: ${limits.join(", ")}`]), ...(note === "" ? [] : [note])]
  return element(
    "li",
    element("b", name),
    ` by ${who}, then ${to}${opensReturn ? " as a new shipment" : ""}`,
    element("p", details.join("; "))
  )
}

const show = (status: string) => {
  if (!isOperationalStatus(status)) return
  const moves = movesFrom(status)
  byId("status").textContent = status
  byId("next").textContent =
    moves.length === 0 ? "Nothing follows." : `Next: ${[...new Set(moves.map(({ to }) => to))].join(", ")}`
  for (const kind of ["operation", "report"] as const) {
    const items = moves.filter((move) => move.kind === kind).map(moveItem)
    byId(`${kind}s`).replaceChildren(...(items.length === 0 ? [element("li", "none")] : items))
  }
  for (const one of drawing.querySelectorAll("[data-status]")) {
    one.setAttribute("aria-pressed", `${one.getAttribute("data-status") === status}`)
  }
  for (const one of drawing.querySelectorAll("[data-from]")) {
    one.classList.toggle("chosen", one.getAttribute("data-from") === status)
  }
}

const statusOf = ({ target }: Event) =>
  target instanceof Element ? target.closest("[data-status]")?.getAttribute("data-status") : undefined

drawing.addEventListener("click", (event) => show(statusOf(event) ?? ""))
drawing.addEventListener("keydown", (event) => {
  const status = statusOf(event)
  if (!status || (event.key !== "Enter" && event.key !== " ")) return
  event.preventDefault()
  show(status)
})

input.value = JSON.stringify(product, null, 2)
input.addEventListener("input", judge)
judge()
show("placed")
