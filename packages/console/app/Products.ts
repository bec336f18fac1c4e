/** Products: the catalog, and a write of products that can be judged before it is made. */
import type { Seller } from "@crossdock/client"
import * as Client from "@crossdock/client/promise"
import { useEffect, useState } from "preact/hooks"
import { Act, copy, html, part, Screen, table, useLoaded, useSearch, when } from "./parts.ts"
import { curl, type Props, type Session, valued } from "./session.ts"

type Write = Session["products"]["create"]
type Fault = Pick<Seller.Violation, "path" | "code" | "message" | "suggestion">

/** The faults of a write that would be rejected, or was. */
const faultsOf = async (written: ReturnType<Write>): Promise<ReadonlyArray<Fault>> => {
  const answer = await written
  if (answer.ok) return Object.values(answer.value.errors).flatMap((one) => one.errors ?? [{ path: "", ...one }])
  if (answer.error instanceof Client.ApiError && answer.error.errors.length > 0)
    return answer.error.errors as ReadonlyArray<Fault>
  throw answer.error
}

/** The body with each suggestion in place of what was sent. */
const corrected = (body: object, faults: ReadonlyArray<Fault>): object => {
  const copy = structuredClone(body)
  for (const { path, suggestion } of faults) {
    const keys = path.split("/").slice(1)
    const holder = keys.slice(0, -1).reduce((one, key) => (one as Record<string, object>)[key] ?? {}, copy)
    if (suggestion !== undefined) Object.assign(holder, { [keys.at(-1) ?? ""]: suggestion })
  }
  return copy
}

/** The JSON of a value by lines, each with the pointer of its value. */
const linesOf = (
  value: unknown,
  path = "",
  key = "",
  indent = ""
): ReadonlyArray<readonly [path: string, text: string]> => {
  if (typeof value !== "object" || value === null) return [[path, `${indent}${key}${JSON.stringify(value)}`]]
  const [open, close] = Array.isArray(value) ? "[]" : "{}"
  const inner = Object.entries(value).flatMap(([name, one]) =>
    linesOf(one, `${path}/${name}`, Array.isArray(value) ? "" : `${JSON.stringify(name)}: `, `${indent}  `)
  )
  return [[path, `${indent}${key}${open}`], ...inner, ["", `${indent}${close}`]]
}

const located = (body: object, faults: ReadonlyArray<Fault>) =>
  html`<pre class="located">${linesOf(body).map(([path, line]) => {
    const messages = faults.filter((one) => path !== "" && one.path === path).map(({ message }) => message)
    return messages.length === 0 ? `${line}\n` : html`<mark>${line}</mark> <em>← ${messages.join(" ")}</em>${"\n"}`
  })}</pre>`

/** A product like another one, under a name of its own. */
const sampleOf = (product: Seller.Product | undefined) => {
  if (product === undefined) return { template: "apparel", products: [] }
  const { brand_uid: _, company_id, created_on, modified_on, sizes, template, uid, ...rest } = product
  const code = `NEW-${crypto.randomUUID().slice(0, 8)}`
  const size = { ...sizes[0], primary_identifier: code, identifiers: [] }
  return {
    template,
    products: [{ ...rest, name: "New product", slug: code.toLowerCase(), item_code: code, sizes: [size] }]
  }
}

const Editor = ({ done, sample, session }: { session: Session; sample: object; done: () => void }) => {
  const [{ body, faults }, set] = useState<{ readonly body: object; readonly faults: ReadonlyArray<Fault> }>({
    body: sample,
    faults: []
  })
  const send =
    (operation: "create" | "update", query?: { readonly dry_run: true }) =>
    async ({ body: text = "" }) => {
      const payload = JSON.parse(text)
      const faults = await faultsOf((session.products[operation] as Write)({ payload, ...(query && { query }) }))
      set({ body: payload, faults })
      if (faults.length > 0) throw new Error(`Rejected, with ${faults.length} fault(s) below.`)
      if (query === undefined) done()
      return query === undefined ? "Written." : "No fault: it would be accepted."
    }
  const does = { Check: send("create", { dry_run: true }), Create: send("create"), Update: send("update") }
  const better = corrected(body, faults)
  return html`<${Act} fields=${[["Body", "body", JSON.stringify(sample, null, 2), "area"]]} does=${does} />
    <details><summary>curl</summary>${copy(curl("products", "create", { payload: body }))}</details>
    ${
      faults.length > 0 && [
        table<Fault>("Faults", faults, "", [
          ["Where", ({ path }) => html`<code>${path}</code>`],
          ["Code", ({ code }) => code],
          ["Fault", ({ message }) => message]
        ]),
        located(body, faults),
        faults.some(({ suggestion }) => suggestion) &&
          part("Corrected as suggested", copy(JSON.stringify(better, null, 2), "body"))
      ]
    }`
}

export const Products = ({ session }: Props) => {
  const [name, search] = useSearch("Part of the name")
  const [page_number, turn] = useState(1)
  useEffect(() => turn(1), [name])
  const query = { page_number, page_size: 10, sort_on: "modified_on", ...(name === "" ? {} : { name }) } as const
  const found = useLoaded(() => valued(session.catalog.products({ query })), [session, name, page_number])
  const button = (label: string, by: number, isThere: boolean) =>
    html`<button type="button" disabled=${!isThere} onClick=${() => turn(page_number + by)}>${label}</button> `
  return html`<${Screen} title="Products" lead="The catalog, last changed first.">
    ${search}${found.show(({ items, total }) => [
      table("Products", items, "None.", [
        ["Item code", ({ item_code }) => html`<code>${item_code}</code>`],
        ["Name", ({ name }) => name],
        ["Brand", ({ brand }) => brand],
        ["Category", ({ category }) => category],
        ["SKUs", ({ sizes }) => sizes.map((one) => one.primary_identifier).join(", ")],
        ["Changed (UTC)", ({ modified_on }) => when(modified_on)]
      ]),
      html`<p>${button("Earlier page", -1, page_number > 1)}${button("Next page", 1, page_number * 10 < total)}
        <span class="quiet">Page ${page_number} of ${Math.max(1, Math.ceil(total / 10))}, ${total} products.</span></p>`,
      part("Write products", html`<${Editor} session=${session} sample=${sampleOf(items[0])} done=${found.reload} />`)
    ])}
  <//>`
}
