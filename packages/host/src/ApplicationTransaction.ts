import { EventConsumer } from "@crossdock/audit"
import { StorageError, Transaction } from "@crossdock/kernel"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Facade from "./Facade.ts"
import { type Flow, SetupError } from "./Runtime.ts"
import type { Services } from "./Services.ts"

/** The services and statements for work in a transaction. Calls after the end of the transaction are rejected. */
export interface ApplicationTransaction {
  /** All services. They write in this transaction. Concurrent calls of services and of `sql` run one after the other. */
  readonly services: Facade.Facade
  /** Runs a statement of the application and returns its rows. Use the database's own placeholders. */
  readonly sql: <Row extends object = Record<string, unknown>>(
    text: string,
    values?: ReadonlyArray<unknown>
  ) => Promise<ReadonlyArray<Row>>
  /** The pg client or SQLite handle of the transaction. Don't end it, and don't use it after the transaction. */
  readonly client: unknown
  /** Runs an effect on the host's services in this transaction. Await it before the next call. */
  readonly run: <A, E>(effect: Effect.Effect<A, E, Services>) => Promise<A>
}

/** Where the transaction runs. Aborting `signal` rolls it back and rejects calls on `tx` with the signal's reason. */
export interface Options extends Facade.CallOptions {
  /**
   * The application's open transaction: a pg client, a drizzle transaction on a pg client, or a SQLite handle. The work is
   * a savepoint in it and isn't repeated. After a `StorageError` with `isContended`, repeat the whole transaction.
   */
  readonly within?: object
}

/** An error of the application. It is not a conflict, so it restarts nothing. */
class Thrown {
  readonly cause: unknown
  constructor(cause: unknown) {
    this.cause = cause
  }
}

interface Attempt {
  readonly host: Context.Context<Services>
  readonly calls: Array<Promise<unknown>>
  isOpen: boolean
  lost: StorageError | undefined
}

const isContended = (error: unknown): error is StorageError =>
  error instanceof StorageError && error.isContended === true

/** The error for a call that would wait forever for the caller's transaction. It is undefined outside transactions. */
export const inside = (host: Context.Context<Services>, flow: Flow | undefined): SetupError | undefined => {
  const attempt = flow?.current() as Attempt | undefined
  if (attempt?.isOpen !== true || attempt.host !== host) return undefined
  return new SetupError({
    message:
      "This call is made inside of transaction((tx) => …), for whose end it would wait: call it on tx, or after the transaction"
  })
}

const noSql = new SetupError({ message: "This storage has no SQL: write through tx.services" })

const notOurs = new SetupError({
  message:
    "This storage doesn't use the application's connection: make it with Sqlite.fromDatabase or NodePostgres.fromPool"
})

const connect = (
  attempt: Attempt,
  context: Context.Context<Services>,
  flow: Flow | undefined,
  options: Options
): ApplicationTransaction => {
  const note = (error: unknown) =>
    Effect.sync(() => {
      if (isContended(error)) attempt.lost = error
    })
  const ended = new SetupError({ message: "The transaction has ended: await each of its calls inside of it" })
  const noted = <A, E>(effect: Effect.Effect<A, E, Services>) =>
    attempt.isOpen ? Facade.abortable(Effect.tapError(effect, note), options) : Effect.die(ended)
  const start = <A, E>(effect: Effect.Effect<A, E, Services>) => Effect.runPromiseWith(context)(effect)
  const kept = <A>(call: Promise<A>) => {
    attempt.calls.push(call)
    return call
  }
  let last: Promise<unknown> = Promise.resolve()
  let running = 0
  // Calls run in turn, because overlapping savepoints would undo each other's writes. A call inside a call doesn't wait.
  const ofCall = Object.create(attempt) as Attempt
  const isOfWork = () => flow === undefined || flow.current() === attempt
  const inTurn = <A, E>(effect: Effect.Effect<A, E, Services>) => {
    const call = noted(effect)
    if (running > 0 || !isOfWork()) return kept(start(call))
    const turn = last.then(() => (flow === undefined ? start(call) : flow.run(ofCall, () => start(call))))
    last = turn.catch(() => {})
    return kept(turn)
  }
  const run: ApplicationTransaction["run"] = (effect) => {
    running++
    const done = Effect.sync(() => {
      running--
    })
    return kept(start(Effect.ensuring(noted(effect), done)))
  }
  const port = Context.get(context, Transaction.Transaction)
  const { statement = () => Effect.die(noSql) } = port
  return {
    services: Facade.make(
      context,
      (effect) => inTurn(Facade.settled(noted(effect))),
      Effect.suspend(() => (attempt.isOpen ? Effect.void : Effect.die(ended)))
    ),
    sql: (text, values = []) => inTurn(statement(text, values)) as Promise<ReadonlyArray<never>>,
    get client() {
      return Effect.runSyncWith(context)(attempt.isOpen ? (port.client ?? Effect.die(notOurs)) : Effect.die(ended))
    },
    run
  }
}

const abortOf = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    else signal.addEventListener("abort", abort, { once: true })
  })

/** Runs the function until it returns or is aborted, and then waits for its calls, so that no write follows the rollback. */
const attempted = <A>(
  work: (tx: ApplicationTransaction) => Promise<A>,
  host: Context.Context<Services>,
  flow: Flow | undefined,
  options: Options
) =>
  Effect.flatMap(Effect.context<Services>(), (context) => {
    const attempt: Attempt = { host, calls: [], isOpen: true, lost: undefined }
    const start = async () => {
      try {
        const working = work(connect(attempt, context, flow, options))
        return await (options.signal === undefined ? working : Promise.race([working, abortOf(options.signal)]))
      } finally {
        attempt.isOpen = false
        await Promise.allSettled(attempt.calls)
      }
    }
    const settled = Effect.tryPromise({
      try: () => (flow === undefined ? start() : flow.run(attempt, start)),
      catch: (cause) => new Thrown(cause)
    })
    return Effect.flatMap(Effect.exit(Effect.uninterruptible(settled)), (exit) =>
      attempt.lost === undefined ? exit : Effect.fail(attempt.lost)
    )
  })

/** Runs work in the transaction of an event consumer, which begins, repeats and ends it. Work that takes too long fails. */
export const joining = <A>(
  work: (tx: ApplicationTransaction) => Promise<A>,
  host: Context.Context<Services>,
  flow: Flow | undefined
): Effect.Effect<A, unknown, Services> =>
  Effect.suspend(() => attempted(work, host, flow, { signal: AbortSignal.timeout(EventConsumer.handlerMillis) })).pipe(
    Effect.mapError((error) => (error instanceof Thrown ? error.cause : error))
  )

export type Transact = <A>(work: (tx: ApplicationTransaction) => Promise<A>, options?: Options) => Promise<A>

/** Makes the transactions of a host. `outside` dies inside a transaction and after disposal. */
export const make = (
  host: Context.Context<Services>,
  flow: Flow | undefined,
  outside: Effect.Effect<void>
): Transact => {
  const port = Context.get(host, Transaction.Transaction)
  return async (work, options = {}) => {
    const { within } = options
    const unit = attempted(work, host, flow, options)
    const part = (connection: object): Transaction.Run => port.within?.(connection) ?? (() => Effect.die(notOurs))
    const whole =
      within === undefined ? Transaction.retrying(port)(unit) : part(within)(Transaction.repeatedByCaller(unit))
    const ended = Facade.abortable(Effect.result(whole), options)
    const result = await Effect.runPromiseWith(host)(Effect.andThen(outside, ended))
    if (Result.isSuccess(result)) return result.success
    throw result.failure instanceof Thrown ? result.failure.cause : result.failure
  }
}
