/**
 * Fields with a value, for messages that leave out the others.
 */

type Present<A> = { [K in keyof A]?: Exclude<A[K], null | undefined> }

/**
 * The fields that are neither null nor undefined.
 */
export const presentFields = <A extends object>(fields: A): Present<A> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined)) as Present<A>
