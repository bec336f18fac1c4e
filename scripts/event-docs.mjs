/** Writes the event types of docs/reference/events.md from their schemas (`EventTypes.all` of host). */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { EventTypes } from "@crossdock/host"
import { toJsonSchemaDocument } from "effect/Schema"

const file = fileURLToPath(new URL("../docs/reference/events.md", import.meta.url))

const typeOf = (schema) => {
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(" or ")
  const words = schema.enum ?? schema.allOf?.find((one) => one.enum !== undefined)?.enum
  if (words !== undefined) return words.map((value) => `\`${value}\``).join(", ")
  if (schema.type === "array") return `list of ${schema.items.type === "object" ? "objects" : typeOf(schema.items)}`
  return { string: "text", integer: "whole number", boolean: "true or false", null: "null", object: "object" }[
    schema.type
  ]
}

/** The description of a field, which may be inside a union or a check. */
const descriptionOf = (schema) =>
  schema.description ??
  [...(schema.allOf ?? []), ...(schema.anyOf ?? [])].find((one) => one.description !== undefined)?.description ??
  ""

/** The fields of an object. Fields of inner objects and of lists of objects are included. */
const fieldsOf = (schema, path = "") =>
  Object.entries(schema.properties).flatMap(([name, field]) => {
    const here = `${path}${name}`
    const objects = [field, field.items, ...(field.anyOf ?? [])].filter((one) => one?.properties !== undefined)
    const inner = objects.flatMap((one) => fieldsOf(one, `${here}${one === field.items ? "[]" : ""}.`))
    return [`| \`${here}\` | ${typeOf(field)} | ${descriptionOf(field)} |`, ...inner]
  })

const section = ({ data, description, example, type, version }) => {
  const fields = fieldsOf(toJsonSchemaDocument(data).schema)
  return [
    `### ${type}`,
    `Version ${version}. ${description}`,
    `| Field | Type | |\n|---|---|---|\n${fields.join("\n")}`,
    `\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\``
  ].join("\n\n")
}

const before = readFileSync(file, "utf8")
const after = before.replace(
  /<!-- types -->[\s\S]*<!-- \/types -->/,
  () => `<!-- types -->\n\n${EventTypes.all.map(section).join("\n\n")}\n\n<!-- /types -->`
)

export const documents = { "docs/reference/events.md": after }
