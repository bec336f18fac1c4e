/** Reads a list page by page, on demand. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { Call } from "./Call.ts"
import type { Failure, Input, Operation, Paging } from "./Operation.ts"

type Fields = Readonly<Record<string, unknown>>

const itemsOf = ({ items }: Paging, answer: unknown): ReadonlyArray<unknown> =>
  (items === "" ? answer : (answer as Fields)[items]) as ReadonlyArray<unknown>

/** A list with a cursor names its next page; others end with a page that isn't full. */
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

/**
 * The records of a list from the page of `input`, or from the first. A page has `input`'s size, or the operation's largest.
 * While records are added, a list by page number may repeat or omit some.
 */
export const records = (
  call: Call,
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
        const items = itemsOf(paging, answer)
        return [items, nextOf(paging, answer, items.length, size, page)] as const
      }
    )
  )
}
