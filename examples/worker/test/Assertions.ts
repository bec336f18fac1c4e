/** Assertions that need only Node's own. They replace the assertions in Effect's package for Vitest, which import Vitest. */
import type { Plugin } from "esbuild"

export const withoutVitest: Plugin = {
  name: "without-vitest",
  setup: ({ onLoad, onResolve }) => {
    onResolve({ filter: /^vitest$/ }, () => ({ path: "vitest", namespace: "without-vitest" }))
    onLoad({ filter: /./, namespace: "without-vitest" }, () => ({ contents: "export const assert = undefined" }))
  }
}
