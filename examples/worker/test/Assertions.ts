/** Replaces Effect's package for Vitest, whose assertions would import Vitest. These assertions need only Node's own. */
import type { Plugin } from "esbuild"

export const withoutVitest: Plugin = {
  name: "without-vitest",
  setup: ({ onLoad, onResolve }) => {
    onResolve({ filter: /^vitest$/ }, () => ({ path: "vitest", namespace: "without-vitest" }))
    onLoad({ filter: /./, namespace: "without-vitest" }, () => ({ contents: "export const assert = undefined" }))
  }
}
