/** The script of every page: colors, search, copies of code, and addresses of sections. */
const stored = (key) => {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}
const schemes = ["light dark", "light", "dark"]
const names = { "light dark": "Theme: system", light: "Theme: light", dark: "Theme: dark" }
const setScheme = (scheme) => {
  document.documentElement.dataset.scheme = scheme
  try {
    localStorage.setItem("scheme", scheme)
  } catch {
    // A page opened as a file may have no storage.
  }
}
if (stored("scheme") !== null) setScheme(stored("scheme"))

const small = new Set(
  "a an the of to in on for with is are be do does how what why where when my i it and or by one your you".split(" ")
)

/** Words as the search compares them: lower case and singular. */
const wordsIn = (text) =>
  (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).map((word) =>
    word.length > 3 ? word.replace(/ies$/, "y").replace(/([^s])s$/, "$1") : word
  )

/** The entries that have every word, the best first: titles weigh more than headings, headings more than text. */
const searchIn = ({ entries, pages }) => {
  const read = entries.map(([page, anchor, heading, text]) => ({
    page: pages[page],
    anchor,
    heading,
    text,
    fields: [wordsIn(pages[page][0]), wordsIn(heading), wordsIn(text)]
  }))
  const known = new Map()
  for (const { fields } of read) for (const word of new Set(fields.flat())) known.set(word, (known.get(word) ?? 0) + 1)
  const weights = [6, 8, 1]
  const scoreOf = (fields, asked, isLast) => {
    let score = 0
    fields.forEach((words, field) => {
      const exact = words.filter((word) => word === asked).length
      const begun =
        exact === 0 && isLast && asked.length > 1 ? words.filter((word) => word.startsWith(asked)).length : 0
      const rare = Math.log(1 + read.length / (1 + (known.get(asked) ?? 1)))
      score +=
        weights[field] *
        rare *
        (Math.min(exact, 4) ** 0.5 + 0.6 * Math.min(begun, 2)) *
        (field === 2 ? 1 : 2 / (1 + words.length / 4))
    })
    return score
  }
  return (query) => {
    const words = wordsIn(query)
    const asked = words.some((word) => !small.has(word)) ? words.filter((word) => !small.has(word)) : words
    if (asked.length === 0) return []
    const isKnown = (word, at) =>
      known.has(word) || (at === asked.length - 1 && [...known.keys()].some((one) => one.startsWith(word)))
    const meant = asked.filter(isKnown)
    return read
      .map((entry) => {
        const scores = meant.map((word, at) => scoreOf(entry.fields, word, at === meant.length - 1))
        const found = scores.filter((score) => score > 0).length
        return { ...entry, found, score: scores.reduce((sum, one) => sum + one, 0) * (found / meant.length) ** 4 }
      })
      .filter(({ found }) => found > 0 && found >= meant.length / 2)
      .sort((a, b) => b.score - a.score)
      .slice(0, 8)
  }
}
globalThis.searchIn = searchIn

const startSearch = () => {
  const { index, root } = document.body.dataset
  const input = document.querySelector(".search input")
  const results = document.querySelector(".results")
  let find
  const load = () => {
    if (document.querySelector("script[data-search]")) return
    const script = document.createElement("script")
    script.dataset.search = ""
    script.src = index
    script.addEventListener("load", () => {
      find = searchIn(globalThis.searchIndex)
      show()
    })
    document.head.append(script)
  }
  const item = ({ anchor, heading, page: [title, path, section], text }) => {
    const link = document.createElement("a")
    link.href = `${root === "." ? "" : `${root}/`}${path}${anchor === "" ? "" : `#${anchor}`}`
    const name = document.createElement("b")
    name.textContent = heading === "" || heading === title ? title : `${title} › ${heading}`
    const about = document.createElement("span")
    about.textContent = `${section === "" ? "" : `${section} · `}${text.slice(0, 110)}`
    link.append(name, about)
    const made = document.createElement("li")
    made.append(link)
    return made
  }
  const show = () => {
    const found = find === undefined ? [] : find(input.value)
    const empty = document.createElement("li")
    empty.textContent = "Nothing found"
    results.replaceChildren(...(found.length > 0 || find === undefined ? found.map(item) : [empty]))
    results.hidden = input.value.trim() === "" || find === undefined
  }
  input.disabled = false
  input.addEventListener("focus", load)
  input.addEventListener("input", () => {
    load()
    show()
  })
  const move = (event, step) => {
    const links = [...results.querySelectorAll("a")]
    if (results.hidden || links.length === 0) return
    event.preventDefault()
    const at = links.indexOf(document.activeElement) + step
    ;(links[at] ?? input).focus()
  }
  document.querySelector(".search").addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") move(event, 1)
    if (event.key === "ArrowUp") move(event, -1)
    if (event.key === "Enter" && event.target === input) results.querySelector("a")?.click()
    if (event.key === "Escape") {
      results.hidden = true
      input.focus()
    }
  })
  document.addEventListener("click", ({ target }) => {
    if (!target.closest(".search")) results.hidden = true
  })
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || /^(?:INPUT|TEXTAREA)$/.test(document.activeElement.tagName)) return
    event.preventDefault()
    input.focus()
  })
}

const copyButton = (figure) => {
  const button = document.createElement("button")
  button.type = "button"
  button.className = "copy"
  button.textContent = "Copy"
  button.addEventListener("click", async () => {
    const text = figure.querySelector("code").textContent
    // Of a console, only what is typed.
    const typed = text.startsWith("$ ")
      ? text
          .match(/^\$ .*(?:\\\n.*)*/gm)
          .map((line) => line.slice(2))
          .join("\n")
      : text
    await navigator.clipboard.writeText(typed)
    button.textContent = "Copied"
    setTimeout(() => {
      button.textContent = "Copy"
    }, 1500)
  })
  figure.append(button)
}

addEventListener("DOMContentLoaded", () => {
  const button = document.querySelector(".theme")
  const shown = () => document.documentElement.dataset.scheme ?? schemes[0]
  const name = () => {
    button.textContent = names[shown()]
  }
  button.hidden = false
  name()
  button.addEventListener("click", () => {
    setScheme(schemes[(schemes.indexOf(shown()) + 1) % schemes.length])
    name()
  })
  if (location.protocol === "file:") for (const link of document.querySelectorAll(".of-host")) link.hidden = true
  if (navigator.clipboard)
    for (const figure of document.querySelectorAll("figure.shell, figure.code, figure.answer")) copyButton(figure)
  document.querySelector('nav [aria-current="page"]')?.scrollIntoView({ block: "center" })
  if (location.hash === "") scrollTo(0, 0)
  startSearch()
})
