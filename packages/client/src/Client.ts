/** A client of an interface. It has operations by group, bulks of any size, and lists as streams. */
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import type * as HttpClient from "effect/http/HttpClient"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import * as Stream from "effect/Stream"
import * as Bulk from "./Bulk.ts"
import * as Call from "./Call.ts"
import * as HttpTransport from "./HttpTransport.ts"
import type { CallOptions, Failure, Input, Operation, Paging, Table, Transport } from "./Operation.ts"

interface Plain {
  readonly input: object
  readonly success: unknown
}

interface Listed {
  readonly record: unknown
  readonly failed: unknown
}

type Options<O> = O extends { readonly rest: infer Rest } ? Bulk.BulkOptions & Rest : Bulk.BulkOptions

type Args<I, O> = Record<never, never> extends I ? [input?: I, options?: O] : [input: I, options?: O]

export type Calls<Operations> = {
  readonly [G in keyof Operations]: {
    readonly [E in keyof Operations[G]]: Operations[G][E] extends Plain
      ? (...args: Args<Operations[G][E]["input"], CallOptions>) => Effect.Effect<Operations[G][E]["success"], Failure>
      : never
  }
}

type Having<Group, Shape> = { [E in keyof Group]: Group[E] extends Shape ? E : never }[keyof Group]

type Groups<Operations, Shape> = {
  [G in keyof Operations]: [Having<Operations[G], Shape>] extends [never] ? never : G
}[keyof Operations]

type OfLists<Operations, As extends "result" | "parts"> = {
  readonly [G in Groups<Operations, Listed>]: {
    readonly [E in Having<Operations[G], Listed>]: Operations[G][E] extends Listed
      ? (
          records: Bulk.Records<Operations[G][E]["record"]>,
          options?: Options<Operations[G][E]>
        ) => As extends "result"
          ? Effect.Effect<Bulk.BulkResult<Bulk.Rejected<Operations[G][E]["failed"]>>>
          : Stream.Stream<Bulk.Part<Bulk.Rejected<Operations[G][E]["failed"]>>>
      : never
  }
}

/** The bulk operations, for any number of records. They return the merged result. */
export type Bulks<Operations> = OfLists<Operations, "result">

/** Bulks that return the result of each request as it arrives. They need constant memory. */
export type BulkParts<Operations> = OfLists<Operations, "parts">

/** Lists whose pages are read on demand. */
export type Lists<Operations> = {
  readonly [G in Groups<Operations, { readonly item: unknown }>]: {
    readonly [E in Having<Operations[G], { readonly item: unknown }>]: Operations[G][E] extends Plain & {
      readonly item: infer Item
    }
      ? (...args: Args<Operations[G][E]["input"], never>) => Stream.Stream<Item, Failure>
      : never
  }
}

/** A client of an interface: its operations, and their bulks and lists. */
export type Client<Operations> = Calls<Operations> & {
  readonly bulk: Bulks<Operations>
  readonly parts: BulkParts<Operations>
  readonly pages: Lists<Operations>
}

type Everything = Readonly<Record<string, Readonly<Record<string, Operation>>>>

const each = <A>(table: Everything, member: (operation: Operation) => A | undefined) =>
  Record.map(table, (operations) => Record.map(operations, (operation) => member(operation)))

export const make = <Operations>(table: Table<Operations>, call: Call.Call): Client<Operations> => {
  const all = table as Everything
  const bulkOf =
    <A>(use: (parts: ReturnType<typeof Bulk.parts>) => A) =>
    ({ bulk, ...operation }: Operation) =>
      bulk === undefined
        ? undefined
        : (records: Bulk.Records<unknown>, { query, payload, ...options }: Bulk.BulkOptions & Input = {}) =>
            use(Bulk.parts(call, { ...operation, bulk }, records, options, { ...(query && { query }), payload }))
  return {
    ...each(
      all,
      (operation) =>
        (input: Input = {}, options?: CallOptions) =>
          call(operation, input, options)
    ),
    bulk: each(all, bulkOf(Bulk.merged)),
    parts: each(all, bulkOf(identity)),
    pages: each(all, ({ page, ...operation }) =>
      page === undefined ? undefined : (input: Input = {}) => records(call, { ...operation, page }, input)
    )
  } as unknown as Client<Operations>
}

/** Functions that make a client of an interface: `over` uses any transport, and `make` uses HTTP. */
export interface Makers<Account, Self> {
  readonly over: (transport: Transport, account: Account) => Self
  readonly make: (options: Account & HttpTransport.Options) => Effect.Effect<Self, never, HttpClient.HttpClient>
}

/** The makers of an interface's client. `signIn` says how an account signs in. */
export const makers = <Account extends Call.Options, Operations>(
  table: Table<Operations>,
  signIn: (account: Account) => Call.SignIn
): Makers<Account, Client<Operations>> => {
  const over = (transport: Transport, account: Account) => make(table, Call.make(transport, account, signIn(account)))
  return {
    over,
    make: (options) => Effect.map(HttpTransport.make(options), (transport) => over(transport, options))
  }
}

type Fields = Readonly<Record<string, unknown>>

/** The cursor or number of the next page, if there is one. Without cursors, a page that isn't full is the last. */
const nextOf = (
  paging: Paging,
  answer: unknown,
  count: number,
  size: number,
  page: unknown
): Option.Option<unknown> => {
  if (paging.number !== "cursor") return count < size ? Option.none() : Option.some(Number(page) + 1)
  const { has_next, next_cursor } = (answer as { readonly page: Fields }).page
  return has_next === true ? Option.some(next_cursor) : Option.none()
}

/** Reads a list from the page in `input`, or from the first. Page numbers may repeat or omit records as they change. */
export const records = (
  call: Call.Call,
  operation: Operation & { readonly page: Paging },
  input: Input
): Stream.Stream<unknown, Failure> => {
  const { page: paging } = operation
  const size = Number(input.query?.[paging.size] ?? paging.most)
  const first: unknown = input.query?.[paging.number] ?? (paging.number === "cursor" ? undefined : 1)
  return Stream.paginate<unknown, unknown, Failure, never>(first, (page) =>
    Effect.map(
      call(operation, { ...input, query: { ...input.query, [paging.size]: size, [paging.number]: page } }),
      (answer) => {
        const items = (paging.items === "" ? answer : (answer as Fields)[paging.items]) as ReadonlyArray<unknown>
        return [items, nextOf(paging, answer, items.length, size, page)] as const
      }
    )
  )
}
