/** Effect's SQL client on one connection of any SQLite driver. */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Effectable from "effect/Effectable"
import { identity, memoize } from "effect/Function"
import * as Layer from "effect/Layer"
import * as References from "effect/References"
import * as Reactivity from "effect/reactivity/Reactivity"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import * as SqlClient from "effect/sql/SqlClient"
import type { Borrower, Connection } from "effect/sql/SqlConnection"
import type { SqlError } from "effect/sql/SqlError"
import * as SqlStatement from "effect/sql/Statement"
import * as SqliteConnection from "./SqliteConnection.ts"
import * as SqliteUnits from "./SqliteUnits.ts"
import { compilerOf, type JoinableClient, type SharingClient, UnitTimeout } from "./TransactionSql.ts"

type Params = ReadonlyArray<unknown>
type Rows<A> = ReadonlyArray<A>

interface Texts {
  text?: string
  readonly next: Map<string, Texts>
}

const after = ({ next }: Texts, part: string): Texts => {
  const known = next.get(part) ?? { next: new Map() }
  next.set(part, known)
  return known
}

/** Makes the statements of `client` from cached texts. `placeholder` is a parameter's text, and `quoted` quotes a name. */
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

  const textOf = (part: SqlStatement.Fragment): Text =>
    part instanceof Text ? part : new Text(...client`${part}`.compile())

  const firstOf = memoize((_: ReadonlyArray<string>): Texts => ({ next: new Map() }))

  /** Returns the same string object for equal statements, so the prepared one is found without comparing characters. */
  const made = (strings: ReadonlyArray<string>, args: Params) => {
    const params: Array<unknown> = []
    const parts = args.map((arg) => {
      if (!isPart(arg)) {
        params.push(arg)
        return placeholder
      }
      const { params: own, text } = textOf(arg)
      for (const one of own) params.push(one)
      return text
    })
    const texts = parts.reduce(after, firstOf(strings))
    texts.text ??= String.raw({ raw: strings }, ...parts)
    return new Text(texts.text, params)
  }

  const join =
    (separator: string, parens = true, none = "") =>
    (clauses: ReadonlyArray<string | SqlStatement.Fragment>) => {
      if (clauses.length === 0) return new Text(none, [])
      const [open, close] = parens && clauses.length > 1 ? ["(", ")"] : ["", ""]
      const parts = clauses.map((one) => (typeof one === "string" ? new Text(one, []) : textOf(one)))
      const text = parts.map((part) => part.text).join(separator)
      return new Text(
        `${open}${text}${close}`,
        parts.flatMap(({ params }) => params)
      )
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
      const params = Object.values(value).map((one) => one ?? null)
      return new Insert(text, params, value)
    }
  }) as unknown as SqlClient.SqlClient
}

/** The text for a parameter. Without the plus, SQLite 3.54 prepares a join again for each value, in 0.15 ms. */
const placeholder = "+?"

const quoted = SqlStatement.defaultEscape('"')

const compiler = compilerOf("sqlite", () => placeholder)

const spanAttributes = [["db.system.name", "sqlite"]] as const

const make = (
  driver: string,
  acquire: Effect.Effect<SqliteConnection.SqliteDatabase, never, Scope.Scope>,
  isShared: boolean
) =>
  Effect.gen(function* () {
    const database = yield* acquire
    const connection = SqliteConnection.make(database)
    const outside =
      <Rest extends Params, A>(run: (text: string, ...rest: Rest) => Effect.Effect<A, SqlError>) =>
      (text: string, ...rest: Rest) =>
        units.outside(run(text, ...rest), /^\s*SELECT\b/i.test(text))
    const outsideUnits: Connection = {
      execute: outside(connection.execute),
      executeRaw: outside(connection.executeRaw),
      executeUnprepared: outside(connection.executeUnprepared),
      executeValues: outside(connection.executeValues),
      executeValuesUnprepared: outside(connection.executeValuesUnprepared),
      executeStream: connection.executeStream
    }
    const borrower: Borrower = (use) => use(outsideUnits)
    const acquirer = Effect.suspend(() => units.lease)
    const client = yield* SqlClient.make({ acquirer, borrower, driver, compiler, spanAttributes })
    const service = client.transactionService
    const units = SqliteUnits.make(database, connection, service, isShared)
    yield* Effect.addFinalizer(() => units.end)
    const unit: SharingClient["unit"] = (effect, within) =>
      Effect.withFiber((fiber) => {
        const level = Context.getOrUndefined(fiber.context, service)
        if (level !== undefined) return units.part(level, effect)
        // A unit without a time limit works on a whole database, so it takes long.
        return units.run(effect, !isShared && !Duration.isFinite(fiber.getRef(UnitTimeout)), within)
      })
    const traced = Effect.withSpan("sql.transaction", { attributes: Object.fromEntries(spanAttributes) })
    const withTransaction = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      Effect.withFiber<A, E | SqlError, R>((fiber) => {
        const whole = unit<A, E, R, SqlError>(effect, identity)
        return fiber.getRef(References.TracerEnabled) ? traced(whole) : whole
      })
    return Object.assign(withTexts(client, borrower, placeholder, quoted), {
      withTransaction,
      unit,
      afterCommit: units.afterCommit,
      othersSynced: units.othersSynced
    })
  })

/** A client on the database that `open` opens. `Sqlite.durable` makes it durable. If `open` throws, the layer dies. */
export const layer = (
  driver: string,
  open: () => SqliteConnection.SqliteDatabase
): Layer.Layer<SqlClient.SqlClient> => {
  const opened = Effect.acquireRelease(Effect.sync(open), (database) => Effect.sync(database.close))
  return Layer.provide(Layer.effect(SqlClient.SqlClient, make(driver, opened, false)), Reactivity.layer)
}

/** A client on the application's database. Inside its transaction a unit is a savepoint, or waits if `OwnTransactionOnly`. */
export const shared = (
  driver: string,
  database: SqliteConnection.SqliteDatabase,
  handle: object
): Layer.Layer<SqlClient.SqlClient> => {
  const within: JoinableClient["within"] = (connection) => (effect) =>
    Effect.suspend(() => {
      if (connection !== handle)
        return Effect.die(new Error("This is not the database handle that the storage runs on"))
      return database.inTransaction()
        ? effect
        : Effect.die(new Error("The database handle has no transaction open: begin it first"))
    })
  const client = Effect.map(make(driver, Effect.succeed(database), true), (sql) =>
    Object.assign(sql, { within, ownClient: Effect.succeed(handle) })
  )
  return Layer.provide(Layer.effect(SqlClient.SqlClient, client), Reactivity.layer)
}
