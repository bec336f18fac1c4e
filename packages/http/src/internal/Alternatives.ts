/**
 * Names to choose from, in a message. In British English no comma precedes the "or": GET, POST or PUT.
 */
const list = new Intl.ListFormat("en-GB", { type: "disjunction" })

export const alternatives = (names: ReadonlyArray<string>): string => list.format(names)
