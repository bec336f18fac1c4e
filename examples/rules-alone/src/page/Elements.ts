/** Elements of the page. */

export const byId = <E extends HTMLElement = HTMLElement>(id: string): E => {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`The page has no #${id}`)
  return found as E
}

/** An element with children. Text is never read as HTML. */
export const element = (name: string, ...children: ReadonlyArray<Node | string>): HTMLElement => {
  const made = document.createElement(name)
  made.append(...children)
  return made
}

/** A row of a table. Each cell repeats the title of its column, for narrow screens. */
export const row = (titles: ReadonlyArray<string>, ...cells: ReadonlyArray<string>) =>
  element(
    "tr",
    ...cells.map((cell, at) => {
      const made = element("td", cell)
      made.dataset.head = titles[at] ?? ""
      return made
    })
  )

/** The number in an input. It is 0 if the text isn't a number. */
export const numberIn = (id: string): number => byId<HTMLInputElement>(id).valueAsNumber || 0
