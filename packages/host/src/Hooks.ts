/** A host's own work before and after the writes of its interfaces. Source: docs/guides/extend.md#hooks. */
import type { Caller } from "@crossdock/access"
import { type CatalogWrite, CatalogWrites } from "@crossdock/catalog"
import { type AnswerCode, Failure, Reply } from "@crossdock/http"
import { Inventory, type StockUpdate } from "@crossdock/inventory"
import { Bulk, Eventual, frozen, pointer, Transaction } from "@crossdock/kernel"
import { Orders } from "@crossdock/orders"
import { type PriceUpdate, Pricing } from "@crossdock/pricing"
import { type MoveBatch, type ShipmentCommand, Shipments } from "@crossdock/shipments"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

interface Writes {
  readonly place: {
    readonly record: Parameters<typeof Orders.Orders.Service.place>[1]
    readonly outcome: Orders.PlacedOrder
  }
  readonly move: { readonly record: Move; readonly outcome: Bulk.Summary }
  readonly return: { readonly record: Move; readonly outcome: Bulk.Summary }
  readonly stock: { readonly record: StockUpdate.StockRecord; readonly outcome: Bulk.Summary }
  readonly price: { readonly record: PriceUpdate.PriceRecord; readonly outcome: Bulk.Summary }
  /** Products as the caller sent them. They may have any shape. */
  readonly product: { readonly record: unknown; readonly outcome: CatalogWrite }
}

/** The kind of write that a hook is for. */
export type HookName = keyof Writes

/** A move of one shipment. */
export interface Move {
  readonly shipmentId: string
  readonly command: ShipmentCommand
}

/** A write that is about to be made. Records have their index in the request. Except for products, their shape is valid. */
export interface Call<K extends HookName> {
  readonly caller: Caller
  readonly records: ReadonlyArray<Bulk.Indexed<Writes[K]["record"]>>
}

/** A call inside the transaction. `prepared` is the result of `prepare`. `sql` runs statements, if the storage has SQL. */
export interface CallInside<K extends HookName> extends Call<K> {
  readonly prepared: unknown
  readonly sql: (text: string, values?: ReadonlyArray<unknown>) => Promise<ReadonlyArray<object>>
}

/** Rejects a record, or all records if it has no `index`. Orders and products are always rejected as a whole. */
export interface Veto {
  readonly code: string
  readonly message: string
  readonly index?: number
}

type Vetoes = Veto | ReadonlyArray<Veto> | undefined

/**
 * A host's own work before and after one kind of write. `return` is a quality check, and `move` is any other move.
 *
 * @example
 * ```ts
 * import type { Hooks } from "@crossdock/host"
 *
 * const fraud: Hooks.Hook<"place"> = {
 *   on: "place",
 *   prepare: async ({ records: [order] }) => (order?.record.externalOrderId.startsWith("TEST") ? 0.95 : 0.1),
 *   before: ({ prepared }) => (Number(prepared) > 0.9 ? { code: "FRAUD", message: "This order needs a review." } : undefined)
 * }
 * ```
 */
export interface Hook<K extends HookName = HookName> {
  readonly on: K
  /** Runs before the transaction, and may call a network. `before` and `after` receive the value that it returns. */
  prepare?(call: Call<K>): Eventual.Eventual<unknown>
  /** Runs in the transaction, before the write is checked. It may return vetoes. */
  before?(call: CallInside<K>): Eventual.Eventual<Vetoes> | Eventual.Eventual<void>
  /** Runs in the transaction, after the write. If this function fails, the write is undone. */
  after?(call: CallInside<K> & { readonly outcome: Writes[K]["outcome"] }): Eventual.Eventual<void>
}

/** A hook for any kind of write. */
export type AnyHook = { readonly [K in HookName]: Hook<K> }[HookName]

/** Time limits in seconds. They are short, because other writers wait for the rows that a transaction has locked. */
const limits = { prepare: 10, before: 5, after: 5 } as const

const timed = <A>(hook: HookName, part: keyof typeof limits, run: () => Eventual.Eventual<A>): Effect.Effect<A> => {
  const seconds = limits[part]
  return Effect.timeoutOrElse(Eventual.of(run), {
    duration: `${seconds} seconds`,
    orElse: () => Effect.die(new Error(`${part} of a hook on ${hook} took longer than ${seconds} seconds`))
  })
}

/** The routes of each kind of write, on which `prepare` runs before the transaction of an Idempotency-Key. */
const routes: { readonly [K in HookName]: ReadonlyArray<string> } = {
  place: ["/order/api/v1/:marketplace_slug/create"],
  move: [
    ...["confirm", "cancel", "invoiceUpdate", "pack", "dispatch", "awb", "status"].map(
      (name) => `/oms/v3/shipment/${name}`
    ),
    ...["awb", "status"].map((name) => `/order/api/v1/:marketplace_slug/${name}`)
  ],
  return: ["/oms/v3/shipment/return"],
  stock: ["/ims/v3/inventory"],
  price: ["/ims/v3/price"],
  product: ["/v3/catalog/product"]
}

const hasShape = Schema.is(
  Schema.Struct({ code: Schema.String, message: Schema.String, index: Schema.optional(Schema.Number) })
)

/** The vetoes that `before` returned. If a veto fits no record, the request fails, so that no write slips through. */
const vetoesOf = (on: HookName, { records }: Call<HookName>, answer: Vetoes): ReadonlyArray<Veto> => {
  const vetoes: ReadonlyArray<Veto> =
    answer === undefined ? [] : Array.isArray(answer) ? answer : ([answer] as ReadonlyArray<Veto>)
  const isVeto = (one: unknown): boolean =>
    hasShape(one) && (!("index" in one) || records.some(({ index }) => one.index === undefined || index === one.index))
  if (vetoes.every(isVeto)) return vetoes
  throw new Error(`before of a hook on ${on} must return vetoes { code, message, index }, with the index of a record`)
}

/** Runs `prepare`, and then `before`, `write` and `after` in one transaction. `write` receives the vetoes. */
const makeAround = (hooks: ReadonlyArray<AnyHook>) =>
  Effect.map(Transaction.Transaction, (transaction) => {
    const retrying = Transaction.retrying(transaction)
    const statement = transaction.statement ?? (() => Effect.die(new Error("This storage has no SQL")))
    return <K extends HookName, E>(
      on: K,
      call: Call<K>,
      write: (vetoes: ReadonlyArray<Veto>) => Effect.Effect<Writes[K]["outcome"], E>
    ): Effect.Effect<Writes[K]["outcome"], E> => {
      const own = hooks.filter((hook): hook is AnyHook & Hook<K> => hook.on === on)
      if (own.length === 0) return write([])
      // Records are frozen. If a hook could change a record, the change would be written unchecked.
      frozen(call.records)
      const prepares = Effect.forEach(own, (hook) =>
        hook.prepare === undefined ? Effect.undefined : timed(on, "prepare", () => hook.prepare?.(call))
      )
      const inside = (prepared: ReadonlyArray<unknown>) =>
        Effect.contextWith((context: Context.Context<never>) => {
          // Statements of a hook that takes too long are aborted, or they could run in the connection's next transaction.
          const over = new AbortController()
          return Effect.gen(function* () {
            const sql: CallInside<K>["sql"] = (text, values = []) =>
              over.signal.aborted
                ? Promise.reject(new Error(`The transaction of this hook on ${on} has ended`))
                : Effect.runPromiseWith(context)(statement(text, values), { signal: over.signal })
            const callOf = (nth: number) => ({ ...call, prepared: prepared[nth], sql })
            const vetoes = yield* Effect.forEach(own, (hook, nth) =>
              Effect.map(
                timed(on, "before", () => hook.before?.(callOf(nth)) as Eventual.Eventual<Vetoes>),
                (answer) => vetoesOf(on, call, answer)
              )
            )
            const outcome = yield* write(vetoes.flat())
            yield* Effect.forEach(own, (hook, nth) =>
              timed(on, "after", () => hook.after?.({ ...callOf(nth), outcome }))
            )
            return outcome
          }).pipe(Effect.ensuring(Effect.sync(() => over.abort())))
        })
      return Effect.flatMap(Reply.Rehearsal, (rehearsal) =>
        rehearsal === undefined
          ? Effect.flatMap(prepares, (prepared) => retrying(inside(prepared)))
          : rehearsal.prepared === undefined
            ? Effect.flatMap(prepares, (prepared) => {
                rehearsal.prepared = prepared
                return Effect.interrupt
              })
            : retrying(inside(rehearsal.prepared))
      ) as Effect.Effect<Writes[K]["outcome"], E>
    }
  })

/** Runs a bulk between its hooks. A vetoed record is rejected, with the path that `pathOf` returns. */
const bulksOf =
  (around: Effect.Success<ReturnType<typeof makeAround>>) =>
  <K extends "move" | "return" | "stock" | "price", A, E>(
    on: K,
    caller: Caller,
    requests: ReadonlyArray<Result.Result<A, Bulk.Rejection>>,
    shown: (one: A) => Writes[K]["record"],
    pathOf: (one: A, index: number) => string,
    write: (requests: ReadonlyArray<Result.Result<A, Bulk.Rejection>>) => Effect.Effect<Writes[K]["outcome"], E>
  ) => {
    const records = Bulk.indexed(requests.map((one) => Result.map(one, shown)))
    return around(on, { caller, records }, (vetoes) => {
      if (vetoes.length === 0) return write(requests)
      const judged = requests.map((one, at) => {
        const veto = vetoes.find(({ index = at }) => index === at)
        if (veto === undefined || Result.isFailure(one)) return one
        return Result.fail({ code: veto.code, message: veto.message, path: pathOf(one.success, at) })
      })
      return write(judged)
    })
  }

const moveOf = ({ command, shipmentId }: MoveBatch.MoveRequest): Move => ({ shipmentId, command: command("") })

const moveAt = ({ path }: MoveBatch.MoveRequest) => path

const recordAt = (_: unknown, index: number) => pointer([index])

/** The services with these hooks around their writes. */
export const layer = (hooks: ReadonlyArray<AnyHook>) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const around = yield* makeAround(hooks)
      const bulk = bulksOf(around)
      const orders = yield* Orders.Orders
      const shipments = yield* Shipments.Shipments
      const inventory = yield* Inventory.Inventory
      const pricing = yield* Pricing.Pricing
      const products = yield* CatalogWrites.CatalogWrites
      return Context.make(Orders.Orders, {
        ...orders,
        place: (caller, draft) =>
          around("place", { caller, records: [{ index: 0, record: draft }] }, ([veto]) => {
            if (veto === undefined) return orders.place(caller, draft)
            const rejection = new Failure({ code: veto.code as AnswerCode, status: 409, message: veto.message })
            return Effect.fail(rejection as unknown as Effect.Error<ReturnType<typeof orders.place>>)
          })
      }).pipe(
        Context.add(Shipments.Shipments, {
          ...shipments,
          moveAsSeller: (caller, family, requests) =>
            bulk(family === "return" ? "return" : "move", caller, requests, moveOf, moveAt, (judged) =>
              shipments.moveAsSeller(caller, family, judged)
            ),
          moveAsMarketplace: (caller, family, requests) =>
            bulk("move", caller, requests, moveOf, moveAt, (judged) =>
              shipments.moveAsMarketplace(caller, family, judged)
            )
        }),
        Context.add(Inventory.Inventory, {
          ...inventory,
          setStock: (caller, requests) =>
            bulk("stock", caller, requests, identity, recordAt, (judged) => inventory.setStock(caller, judged))
        }),
        Context.add(Pricing.Pricing, {
          ...pricing,
          setPrices: (caller, requests) =>
            bulk("price", caller, requests, identity, recordAt, (judged) => pricing.setPrices(caller, judged))
        }),
        Context.add(CatalogWrites.CatalogWrites, {
          ...products,
          apply: (caller, submission) => {
            const records = submission.products.map((record, index) => ({ index, record }))
            return around("product", { caller, records }, (vetoes) => {
              if (vetoes.length === 0) return products.apply(caller, submission)
              const violations = vetoes.map(({ code, index, message }) => {
                const path = index === undefined ? "/products" : pointer(["products", index])
                return { code, message, path }
              })
              return Effect.fail(new CatalogWrites.ProductsInvalid({ violations }))
            })
          }
        })
      )
    })
  )

/** The routes of hooks with a `prepare`. */
export const rehearsed = (hooks: ReadonlyArray<AnyHook>): ReadonlySet<string> =>
  new Set(hooks.flatMap(({ on, prepare }) => (prepare === undefined ? [] : routes[on])))

/** Whether a value is a list of hooks. */
export const areHooks = (hooks: unknown): boolean =>
  Array.isArray(hooks) &&
  hooks.every(
    (one) =>
      Object.keys(routes).includes(one?.on) &&
      [one.prepare, one.before, one.after].every((part) => part === undefined || typeof part === "function")
  )
