/**
 * The font library has one generator, over matches of syllables in Indian scripts. It was compiled for a runtime that it
 * expects as a global but does not include. This is the part of that runtime that the generator needs.
 */

interface Step {
  prev: number
  next: number
  readonly stop: () => undefined
}

const wrap = (inner: (step: Step) => unknown) => {
  let done = false
  const step: Step = {
    prev: 0,
    next: 0,
    stop: () => {
      done = true
      return undefined
    }
  }
  return {
    next: () => {
      const value = inner(step)
      return done ? { value: undefined, done } : { value, done }
    }
  }
}

const runtime = { mark: <F>(generator: F): F => generator, wrap }

if (!("regeneratorRuntime" in globalThis)) Object.assign(globalThis, { regeneratorRuntime: runtime })
