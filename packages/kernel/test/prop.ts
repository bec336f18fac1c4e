/** A property's test: `it`, with values that fast-check draws. */
import { it } from "@effect/vitest"
import * as FastCheck from "fast-check"

export const prop = <Values extends [unknown, ...Array<unknown>]>(
  name: string,
  arbitraries: { readonly [K in keyof Values]: FastCheck.Arbitrary<Values[K]> },
  check: (values: Values) => void,
  options: { readonly fastCheck?: FastCheck.Parameters<[Values]> } = {}
) =>
  it(name, () =>
    FastCheck.assert(FastCheck.property(FastCheck.tuple<Values>(...arbitraries), check), options.fastCheck)
  )
