import { describe, it } from "@effect/vitest"
import { assertFalse, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { greeting } from "../src/commands/Start.ts"

const started = {
  address: "http://127.0.0.1:8080",
  consoleUrl: "http://127.0.0.1:8080/console",
  docsUrl: "http://127.0.0.1:8080/docs",
  databaseUrl: "sqlite:./crossdock.db",
  sandbox: true
}

const linesOf = (text: string) => text.split("\n").filter((line) => line !== "")

describe("What a host says in a terminal when it has started", () => {
  it("has its addresses, the sandbox's logins and the next command, in aligned lines", () => {
    deepStrictEqual(linesOf(greeting(started)), [
      "  Crossdock    http://127.0.0.1:8080",
      "  Console      http://127.0.0.1:8080/console",
      "  Docs         http://127.0.0.1:8080/docs",
      "  Database     sqlite:./crossdock.db",
      "  Seller       acme / acme-secret",
      "  Marketplace  bazaar / bazaar-secret",
      "  Platform     ops / ops-secret",
      "  Next         npx crossdock trigger stock",
      "  Stop         Ctrl-C"
    ])
  })

  it("has no logins without the sandbox, no link to pages that it doesn't serve, and no password", () => {
    const databaseUrl = "postgres://shop:a%20secret@db.example:5432/shop?sslmode=require"
    const text = greeting({ ...started, databaseUrl, consoleUrl: "", docsUrl: "", sandbox: false })
    deepStrictEqual(linesOf(text), [
      "  Crossdock    http://127.0.0.1:8080",
      "  Database     postgres://db.example:5432/shop",
      "  Next         npx crossdock doctor",
      "  Stop         Ctrl-C"
    ])
    assertFalse(text.includes("secret"))
  })

  it("names the address in the next commands when it isn't their default", () => {
    const lines = linesOf(greeting({ ...started, address: "http://127.0.0.1:9000" }))
    strictEqual(lines[7], "  Next         npx crossdock trigger stock --url http://127.0.0.1:9000")
  })

  it("says that a database in memory ends with the process", () => {
    const lines = linesOf(greeting({ ...started, databaseUrl: "memory:" }))
    strictEqual(lines[3], "  Database     in memory, ends with this process")
  })
})
