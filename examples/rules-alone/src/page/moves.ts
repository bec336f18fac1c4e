/**
 * Moves a shipment. The page shows the allowed moves as buttons, the path in the drawing, and the effect of each step on stock.
 */
import * as Result from "effect/Result"
import { svg } from "../Drawing.ts"
import * as Journey from "../Journey.ts"
import { type Move, movesFrom } from "../Moves.ts"
import { byId, element } from "./Elements.ts"

let steps: ReadonlyArray<Journey.Step> = [Journey.start]
const drawing = byId("drawing")
drawing.innerHTML = svg

const make = (move: Move) =>
  Result.match(Journey.next(steps, move), {
    onFailure: (message) => show(message),
    onSuccess: (step) => {
      steps = [...steps, step]
      show("")
    }
  })

const choice = (move: Move) => {
  const button = element("button", move.name)
  button.addEventListener("click", () => make(move))
  const who = move.by.length === 0 ? "the service" : move.by.join(" or ")
  const to = move.kind === "report" ? "" : `, to ${move.to}`
  return element("li", button, ` ${who}${to}${move.opensReturn ? ", as a new shipment" : ""}`)
}

const stepItem = (step: Journey.Step) =>
  element(
    "li",
    element("b", step.name),
    `: ${Journey.statusOf(step)}`,
    ...step.stock.map(({ kind, quantity }) => `; stock: ${kind} ${quantity}`)
  )

const show = (rejection: string) => {
  const path = steps.flatMap(({ reached }) => reached)
  const status = Journey.statusOf(steps.at(-1) ?? Journey.start)
  byId("status").textContent = status
  byId("rejection").textContent = rejection
  byId("steps").replaceChildren(...steps.map(stepItem))
  byId("moves").replaceChildren(...movesFrom(status).map(choice))
  for (const one of drawing.querySelectorAll("[data-status]")) {
    const its = one.getAttribute("data-status")
    one.setAttribute("aria-pressed", `${its === status}`)
    one.classList.toggle(
      "passed",
      path.some((passed) => passed === its)
    )
  }
  for (const one of drawing.querySelectorAll("[data-from]")) {
    const isOnPath = path.some(
      (from, at) => from === one.getAttribute("data-from") && path[at + 1] === one.getAttribute("data-to")
    )
    one.classList.toggle("chosen", isOnPath)
  }
}

/** Selecting a status in the drawing makes the first move to this status. */
const moveTo = ({ target }: Event) => {
  const to = target instanceof Element ? target.closest("[data-status]")?.getAttribute("data-status") : undefined
  const move = movesFrom(Journey.statusOf(steps.at(-1) ?? Journey.start)).find((one) => one.to === to)
  if (move !== undefined) make(move)
  else if (to) show(`No move leads from here to ${to}.`)
}

drawing.addEventListener("click", moveTo)
drawing.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" && event.key !== " ") return
  event.preventDefault()
  moveTo(event)
})
byId("back").addEventListener("click", () => {
  steps = steps.length > 1 ? steps.slice(0, -1) : steps
  show("")
})
byId("restart").addEventListener("click", () => {
  steps = [Journey.start]
  show("")
})
show("")
