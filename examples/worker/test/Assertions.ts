/**
 * Assertions come from Effect's package for Vitest, which imports Vitest; outside of it they only need Node's own.
 */
import type { Plugin } from "esbuild"

export const withoutVitest: Plugin = {
  name: "without-vitest",
  setup: ({ onLoad, onResolve }) => {
    onResolve({ filter: /^vitest$/ }, () => ({ path: "vitest", namespace: "without-vitest" }))
    onLoad({ filter: /./, namespace: "without-vitest" }, () => ({ contents: "export const assert = undefined" }))
  }
}
