/** Makes a request smaller while its fault remains. */
import { isObject } from "./JsonText.ts"
import * as Place from "./Place.ts"
import type { Request } from "./Request.ts"

const most = 150

/** Smaller bodies, with the largest step first. */
const smallerBodies = (body: unknown): ReadonlyArray<unknown> => {
  const places = [...Place.all(body)].sort((a, b) => a.length - b.length)
  return [
    ...(Array.isArray(body) && body.length > 1 ? body.map((one) => [one]) : []),
    ...places.map((place) => Place.set(body, place, undefined)),
    ...places.flatMap((place) => {
      const value = Place.valueAt(body, place)
      return typeof value === "string" && value.length > 8
        ? [Place.set(body, place, value.slice(0, value.length >> 1))]
        : []
    })
  ]
}

const smaller = (request: Request): ReadonlyArray<Request> => {
  const { body, bytes, expected, headers, query } = request
  // The expected statuses belong to the whole body, so such a request isn't made smaller.
  if (expected !== undefined) return []
  const bodies = bytes === undefined && (isObject(body) || Array.isArray(body)) ? smallerBodies(body) : []
  return [
    ...query.map((_, at) => ({ ...request, query: query.filter((__, other) => other !== at) })),
    ...Object.keys(headers).map((name) => ({
      ...request,
      headers: Object.fromEntries(Object.entries(headers).filter(([other]) => other !== name))
    })),
    ...bodies.map((one) => ({ ...request, body: one }))
  ]
}

/** The smallest request that was found, or the request itself if the fault doesn't occur again. */
export const smallest = async (request: Request, isSame: (request: Request) => Promise<boolean>): Promise<Request> => {
  let left = most
  let least = request
  if (!(await isSame(least))) return request
  for (;;) {
    const before = least
    for (const one of smaller(before)) {
      if (left-- <= 0) return least
      if (await isSame(one)) {
        least = one
        break
      }
    }
    if (least === before) return least
  }
}
