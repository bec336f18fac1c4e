/** What all screens are made of: functions from values to markup, and the two components that keep a state. */
import { html } from "htm/preact"
import type { ComponentChildren } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"

/** Markup; values in it are never parsed as such. */
export { html }

/** Says a sentence to screen readers. */
const announce = (sentence: string): void => document.getElementById("live")?.replaceChildren(sentence)

const sentenceOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Loads when the screen opens, when one of `inputs` changes, and on `reload`; `show` draws the last value. */
export const useLoaded = <A>(load: () => Promise<A>, inputs: ReadonlyArray<unknown>) => {
  const [{ error, value }, set] = useState<{ readonly value?: A; readonly error?: unknown }>({})
  const [turn, next] = useState(0)
  useEffect(() => {
    let isWanted = true
    const settle = (state: { readonly value?: A; readonly error?: unknown }) => isWanted && set(state)
    load().then(
      (value) => settle({ value }),
      (error) => settle({ error })
    )
    return () => {
      isWanted = false
    }
  }, [...inputs, turn])
  const show = (draw: (value: A) => ComponentChildren): ComponentChildren => {
    if (error !== undefined) return html`<p class="fault" role="alert">${sentenceOf(error)}</p>`
    return value === undefined ? html`<p class="quiet">Loading …</p>` : draw(value)
  }
  return { show, reload: () => next((before) => before + 1) }
}

/** A screen: its heading gets the focus when it opens, so that a screen reader reads on from there. */
export const Screen = ({ children, lead, title }: { title: string; lead?: string; children: ComponentChildren }) => {
  const heading = useRef<HTMLElement>(null)
  useEffect(() => {
    document.title = `${title} · Crossdock`
    if (document.body.dataset.screen !== undefined) heading.current?.focus()
    document.body.dataset.screen = title
  }, [title])
  return html`<main><h1 ref=${heading} tabindex="-1">${title}</h1>${lead && html`<p class="lead">${lead}</p>`}${children}</main>`
}

/** A section with a heading of its own. */
export const part = (title: string, ...content: ReadonlyArray<unknown>) => {
  const id = title.toLowerCase().replaceAll(/\W+/g, "-")
  return html`<section aria-labelledby=${id}><h2 id=${id}>${title}</h2>${content}</section>`
}

/** A column: its heading and its cell; numbers are aligned. */
export type Column<A> = readonly [heading: string, cell: (row: A) => ComponentChildren, kind?: "number"]

/** On narrow screens each row is a block, whose cells name their column; the roles keep it a table. */
export const table = <A>(
  name: string,
  rows: ReadonlyArray<A>,
  none: ComponentChildren,
  columns: ReadonlyArray<Column<A>>
) => {
  if (rows.length === 0) return html`<p class="quiet">${none}</p>`
  const heads = columns.map(([head, , kind]) => html`<th role="columnheader" scope="col" class=${kind}>${head}</th>`)
  const cells = (row: A) =>
    columns.map(([head, cell, kind]) => html`<td role="cell" class=${kind} data-label=${head}>${cell(row)}</td>`)
  return html`<table role="table" aria-label=${name}>
    <thead role="rowgroup"><tr role="row">${heads}</tr></thead>
    <tbody role="rowgroup">${rows.map((row) => html`<tr role="row">${cells(row)}</tr>`)}</tbody>
  </table>`
}

/** Names and values; those without a value are left out. */
export const facts = (...all: ReadonlyArray<readonly [name: string, value: ComponentChildren]>) =>
  html`<dl>${all.map(([name, value]) => ((value ?? "") === "" ? "" : html`<div><dt>${name}</dt><dd>${value}</dd></div>`))}</dl>`

/** A text to copy, such as a command. */
export const copy = (text: string, name = "command") => {
  const write = () => navigator.clipboard.writeText(text)
  const click = () =>
    write().then(
      () => announce("Copied."),
      () => announce("The browser doesn't allow copying here.")
    )
  return html`<div class="copy">
    <pre>${text}</pre><button type="button" onClick=${click}>Copy<span class="hidden"> ${name}</span></button>
  </div>`
}

export const command = (text: string) => copy(`npx crossdock ${text}`)

const kinds = [
  ["bad", /cancel|declined|dead|lost|failing|stopped|rejected|fault|broken|unsubscribed|out_of_range/i],
  ["odd", /warning|disabled|withdrawn|pending/i],
  ["good", /delivered|delivery_done|active|paid|working|accepted|offered|intact|^ok$|^ready/i]
] as const

/** A status in words, with a colour of its kind. */
export const badge = (status: string) =>
  html`<span class="badge ${kinds.find(([, pattern]) => pattern.test(status))?.[0]}">${wordsOf(status)}</span>`

export const wordsOf = (status: string): string => status.replaceAll("_", " ").toLowerCase()

/** A field of a form: its label, its name, its value at first, and its kind or choices. */
type Field = readonly [label: string, name: string, value?: string, kind?: "password" | "area" | ReadonlyArray<string>]

const fieldOf = ([label, name, value = "", kind]: Field) => {
  const own = { id: `field-${name}`, name }
  const option = (one: string) => html`<option value=${one} selected=${one === value}>${wordsOf(one) || "all"}</option>`
  const input =
    typeof kind === "object"
      ? html`<select ...${own}>${kind.map(option)}</select>`
      : kind === "area"
        ? html`<textarea ...${own} rows="12" spellcheck="false" defaultValue=${value}></textarea>`
        : html`<input ...${own} type=${kind ?? "text"} defaultValue=${value} />`
  return html`<p class="field"><label for=${own.id}>${label}</label>${input}</p>`
}

interface Form {
  /** The buttons. */
  readonly does: Readonly<Record<string, (fields: Readonly<Record<string, string>>) => Promise<string>>>
  readonly fields?: ReadonlyArray<Field>
  readonly kind?: string
}

/** A form: what a button does answers with a sentence, which is shown and read out. */
export const Act = ({ does, fields = [], kind }: Form) => {
  const [[said, outcome], say] = useState<readonly [sentence: string, outcome: string]>(["", "done"])
  const submit = async (event: SubmitEvent & { readonly currentTarget: HTMLFormElement }) => {
    event.preventDefault()
    const asked = event.submitter?.getAttribute("value") ?? Object.keys(does)[0] ?? ""
    const sent = Object.fromEntries([...new FormData(event.currentTarget)].map(([key, value]) => [key, String(value)]))
    const done = (sentence: string) => [sentence, "done"] as const
    const ended = await does[asked]?.(sent).then(done, (error) => [sentenceOf(error), "fault"] as const)
    say(ended ?? done(""))
    announce(ended?.[0] ?? "")
  }
  const buttons = Object.keys(does).map((name) => html`<button type="submit" value=${name}>${name}</button>`)
  return html`<form class=${kind} onSubmit=${submit}>
    ${fields.map(fieldOf)}<p class="row">${buttons}</p>${said && html`<p class=${outcome}>${said}</p>`}
  </form>`
}

/** A form of one field, and what it was last sent with. */
export const useSearch = (label: string, choices?: ReadonlyArray<string>) => {
  const [asked, set] = useState("")
  const search = async ({ asked = "" }) => {
    set(asked)
    return ""
  }
  const form = html`<${Act} kind="line" fields=${[[label, "asked", asked, choices]]} does=${{ Search: search }} />`
  return [asked, form] as const
}

export const when = (iso: string): string => iso.slice(0, 19).replace("T", " ")

export const money = (amount: number, currency: string): string =>
  new Intl.NumberFormat("en-IN", { style: "currency", currency, currencyDisplay: "code" }).format(amount)
