import { defineWorkspace } from "vitest/config"

// `@crossdock/source` lets tests run on the packages' source, without a build.
const conditions = ["@crossdock/source"]

// One real PostgreSQL for the whole run.
const globalSetup = ["packages/storage-laws/src/PostgresGlobalSetup.ts"]

const project = (name: string, include: ReadonlyArray<string>, extra: object = {}) => ({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: { name, include: [...include], testTimeout: 60_000, hookTimeout: 120_000, globalSetup, ...extra }
})

export default defineWorkspace([
  project("packages", ["packages/*/test/**/*.test.ts"]),
  project("examples", ["examples/*/test/**/*.test.ts"], { testTimeout: 120_000 })
])
