/** Reads a list page by page, as its records are taken. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { Call } from "./Call.ts"
import type { Failure, Input, Operation, Paging } from "./Operation.ts"

type Fields = Readonly<Record<string, unknown>>

const itemsOf = ({ items }: Paging, answer: unknown): ReadonlyArray<unknown> =>
  (items === "" ? answer : (answer as Fields)[items]) as ReadonlyArray<unknown>

/** Lists with a cursor say how they go on; the others end with a page that isn't full. */
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
 * The records of a list from the page that `input` names, or the first. Pages have the most records that the operation allows
 * unless `input` says how many. While records are added, a list by page number may repeat some or leave some out.
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
