/** Lists each use of a word of the table in code and documents, with a replacement. `toldUpTo` is read as "told up to". */
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"

const instead = [
  [/\b(told|tells?|telling)\b/, "notified, reports, says"],
  [/\b(hears?|heard) (of|from)\b/, "receives, is notified"],
  [/\bhears?\b|\bheard\b/, "receives, is notified"],
  [/\bgone\b/, "deleted, removed, no longer there"],
  [/\b(takes?|taken|taking|took) away\b/, "delete, remove"],
  [/\bholds?\b|\bheld\b|\bholding\b/, "lock, keep, contain, apply"],
  [/\bwhat (waits|is waiting)\b|\bis waiting\b/, "is pending"],
  [/\bstands?\b|\bstood\b/, "is, appears"],
  [/\bbefore in (this|the) request\b/, "appears earlier in this request"],
  [/\bcomes? to less than nothing\b/, "is negative"],
  [/\bis none\b|\bare none\b/, "is not valid, does not exist"],
  [/\banew\b/, "again"],
  [/\bat the first glance\b/, "quickly"],
  [/\bby itself\b|\bby themselves\b/, "on its own, separately"],
  [/\bwhoever\b|\bwhomever\b/, "the host that, the caller that"],
  [/\bwhat (came|comes|becomes|became) of\b/, "the result of, the outcome of"],
  [/\brefus(e|es|ed|al|als|ing)\b/, "reject, rejection"],
  [/\b(the )?documents? [1-5]\b|\bthe contract\b|\(contract\b/, "a page of docs/reference"]
]

/** Lines where such a word is right, for example in a name that others chose. */
const allowed = [/ECONNREFUSED/, /holdout/, /"told":/, /told: 7/, /isNone/, /CAKE \?STAND/]

const files = execFileSync("git", ["ls-files", "*.ts", "*.mjs", "*.md"], { encoding: "utf8" })
  .split("\n")
  .filter((path) => path !== "" && path !== "scripts/glossary.mjs")

const words = (line) => line.replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase()

export const faults = files.flatMap((path) =>
  readFileSync(path, "utf8")
    .split("\n")
    .flatMap((line, at) =>
      allowed.some((pattern) => pattern.test(line))
        ? []
        : instead.flatMap(([pattern, better]) => {
            const match = pattern.exec(words(line))
            return match === null ? [] : [`${path}:${at + 1}: "${match[0]}": ${better}: ${line.trim().slice(0, 140)}`]
          })
    )
)
