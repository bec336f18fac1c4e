/**
 * Statements of a SQLite client whose text is put together once, when they are made. Effect's own keep their parts until they run,
 * which costs as much again as SQLite takes. While a tracer is on, Effect's own run instead, so that it gets their spans.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Effectable from "effect/Effectable"
import * as References from "effect/References"
import type * as Stream from "effect/Stream"
import type * as SqlClient from "effect/sql/SqlClient"
import type { Borrower, Connection } from "effect/sql/SqlConnection"
import type { SqlError } from "effect/sql/SqlError"
import * as SqlStatement from "effect/sql/Statement"

type Params = ReadonlyArray<unknown>
type Rows<A> = ReadonlyArray<A>

/**
 * `client` with such statements, which borrow a connection outside a transaction. Each parameter is written as `placeholder`, and
 * `quoted` writes a name.
 */
export const withTexts = (
  client: SqlClient.SqlClient,
  borrower: Borrower,
  placeholder: string,
  quoted: (name: string) => string
): SqlClient.SqlClient => {
  const on = <A>(
    traced: (statement: SqlStatement.Statement<object>) => Effect.Effect<A, SqlError>,
    { params, text }: Text,
    use: (connection: Connection) => Effect.Effect<A, SqlError>
  ): Effect.Effect<A, SqlError> =>
    Effect.withFiber((fiber) => {
      if (fiber.getRef(References.TracerEnabled)) return traced(client.unsafe(text, params))
      const open = Context.getOrUndefined(fiber.context, client.transactionService)
      return open === undefined ? borrower(use) : use(open[0])
    })

  class Text extends Effectable.Class<Rows<object>, SqlError> {
    readonly text: string
    readonly params: Params

    constructor(text: string, params: Params) {
      super()
      this.text = text
      this.params = params
    }

    get segments(): ReadonlyArray<SqlStatement.Segment> {
      return [SqlStatement.literal(this.text, this.params)]
    }

    compile(): readonly [string, Params] {
      return [this.text, this.params]
    }

    asEffect(): Effect.Effect<Rows<object>, SqlError> {
      return on(
        (traced) => traced,
        this,
        (connection) => connection.execute(this.text, this.params, undefined) as Effect.Effect<Rows<object>, SqlError>
      )
    }

    get unprepared(): Effect.Effect<Rows<object>, SqlError> {
      return this.asEffect()
    }

    get withoutTransform(): Effect.Effect<Rows<object>, SqlError> {
      return this.asEffect()
    }

    get raw(): Effect.Effect<unknown, SqlError> {
      return on(
        (traced) => traced.raw,
        this,
        (connection) => connection.executeRaw(this.text, this.params)
      )
    }

    get values(): Effect.Effect<Rows<Rows<unknown>>, SqlError> {
      return on(
        (traced) => traced.values,
        this,
        (connection) => connection.executeValues(this.text, this.params)
      )
    }

    get valuesUnprepared(): Effect.Effect<Rows<Rows<unknown>>, SqlError> {
      return this.values
    }

    get stream(): Stream.Stream<object, SqlError> {
      return client.unsafe(this.text, this.params).stream
    }
  }
  // What Effect knows a fragment by, so that its own helpers take these as well.
  for (const [key, value] of Object.entries(SqlStatement.fragment([]))) {
    if (key !== "segments") Object.defineProperty(Text.prototype, key, { value })
  }

  class Insert extends Text {
    readonly value: Readonly<Record<string, unknown>>

    constructor(text: string, params: Params, value: Readonly<Record<string, unknown>>) {
      super(text, params)
      this.value = value
    }

    returning(columns: Parameters<ReturnType<typeof client.insert>["returning"]>[0]) {
      return client.insert(this.value).returning(columns)
    }
  }

  const isPart = (value: unknown): value is SqlStatement.Fragment =>
    typeof value === "object" && value !== null && ("segments" in value || "_tag" in value)

  const textOf = (value: unknown): readonly [string, Params] => {
    if (value instanceof Text) return [value.text, value.params]
    return isPart(value) ? client`${value}`.compile() : [placeholder, [value]]
  }

  const made = (strings: ReadonlyArray<string>, args: Params) => {
    let text = strings[0] ?? ""
    const params: Array<unknown> = []
    for (let at = 0; at < args.length; at++) {
      const [part, own] = textOf(args[at])
      text += part + strings[at + 1]
      for (const one of own) params.push(one)
    }
    return new Text(text, params)
  }

  const clause = (given: string | SqlStatement.Fragment) => (typeof given === "string" ? new Text(given, []) : given)

  const join =
    (separator: string, parens = true, none = "") =>
    (clauses: ReadonlyArray<string | SqlStatement.Fragment>) => {
      if (clauses.length === 0) return new Text(none, [])
      const [open, close] = parens && clauses.length > 1 ? ["(", ")"] : ["", ""]
      return made([open, ...clauses.slice(1).map(() => separator), close], clauses.map(clause))
    }

  const list = (values: Params) => `(${values.map(() => placeholder).join(",")})`

  const sql = (strings: TemplateStringsArray | string, ...args: Params) =>
    typeof strings === "string" ? client(strings) : made(strings, args)
  return Object.assign(sql, client, {
    literal: (text: string) => new Text(text, []),
    unsafe: (text: string, params: Params = []) => new Text(text, params),
    join,
    and: join(" AND ", true, "1=1"),
    or: join(" OR ", true, "1=1"),
    in: (column: string | Params, values?: Params) => {
      if (typeof column !== "string") return new Text(list(column), column)
      return values === undefined || values.length === 0
        ? new Text("1=0", [])
        : new Text(`${quoted(column)} IN ${list(values)}`, values)
    },
    insert: (value: Readonly<Record<string, unknown>>) => {
      if (Array.isArray(value)) return client.insert(value as never)
      const columns = Object.keys(value)
      const text = `(${columns.map(quoted).join(",")}) VALUES ${list(columns)}`
      return new Insert(
        text,
        Object.values(value).map((one) => one ?? null),
        value
      )
    }
  }) as unknown as SqlClient.SqlClient
}
