/** Requests to a new sandbox with a day's data, and the answers that a test expects. Source: docs/reference/host.md#day. */
import answers from "./answers.json" with { type: "json" }
import requests from "./examples.json" with { type: "json" }

export interface Example {
  /** The interface and the operation, such as `seller stock.update`. */
  readonly operation: string
  /** Names the example among those of its operation. */
  readonly title: string
  /** The key by which links refer to its answer. */
  readonly key?: string
  /** The sandbox account whose token is sent. */
  readonly as?: "acme" | "bazaar" | "ops" | "root"
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** The request's whole address: a place in an earlier answer. */
  readonly link?: readonly [key: string, pointer: string]
  /** The request is repeated until its answer has this value at this place: background work may still be running. */
  readonly until?: readonly [pointer: string, value: unknown]
}

/** The recorded answer to an example. An answer that is not JSON has no body here. */
export interface Answer {
  readonly status: number
  readonly type: string
  readonly body?: unknown
}

/** The value at a JSON Pointer; undefined if it doesn't exist. */
export const valueAt = (body: unknown, pointer: string): unknown =>
  pointer
    .slice(1)
    .split("/")
    .reduce<unknown>((at, key) => (typeof at === "object" && at !== null ? Reflect.get(at, key) : undefined), body)

/** An example with its link, which is taken from an earlier answer. */
export const resolved = ({ link, ...example }: Example, bodyOf: (key: string) => unknown) => ({
  ...example,
  link: link && String(valueAt(bodyOf(link[0]), link[1]))
})

/** All requests. Only a request with a `link` needs the answer to an earlier one. */
export const examples = requests as ReadonlyArray<unknown> as ReadonlyArray<Example>

/** The recorded answers, in the order of the examples. */
export const recorded: ReadonlyArray<Answer> = answers

/** The examples of the documents, with their answers. */
export const shown = (): ReadonlyArray<readonly [ReturnType<typeof resolved>, Answer | undefined]> => {
  const bodies = new Map(examples.map(({ key }, at) => [key, recorded[at]?.body]))
  return examples.map((example, at) => [resolved(example, (key) => bodies.get(key)), recorded[at]])
}
