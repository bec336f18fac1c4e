import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { productInput } from "@crossdock/catalog/testing"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { temporaryFolder } from "../../http/test/TemporaryFolder.ts"
import { settings, startHost } from "../../system-tests/test/TestHost.ts"
import * as InProcess from "./InProcess.ts"

describe("Imports and exports", () => {
  const folder = temporaryFolder()
  const file = (name: string) => join(folder, name)
  const files = (...args: ReadonlyArray<string>) =>
    InProcess.run(args, { environment: { CROSSDOCK_PASSWORD: "acme-secret" } })

  it("imports stock with a report of the lines that failed, and exports what it imported", async () => {
    const host = await startHost(settings())
    const at = ["--url", host.url]
    writeFileSync(file("in.csv"), "location_id,sku,quantity\nBLR1,NO-SUCH,1\nBLR1,85123A,9\nBLR1,71053\n")
    const report = file("report.csv")
    const imported = await files("import", "stock", file("in.csv"), "--report", report, ...at)
    deepStrictEqual(
      [imported.code, imported.stderr, imported.stdout],
      [1, "", `3 records, 2 failed; the report is ${report}\n`]
    )
    deepStrictEqual(
      readFileSync(report, "utf8")
        .trim()
        .split("\n")
        .map((line) => line.split(",").slice(0, 2).join(" ")),
      ["line code", "2 UNKNOWN_SKU", "4 INVALID_LINE"]
    )
    strictEqual((await files("export", "stock", file("out.csv"), ...at)).code, 0)
    strictEqual(readFileSync(file("out.csv"), "utf8"), "location_id,sku,quantity\nBLR1,85123A,9\n")
    await host.stop()
  })

  it("reports products that are rejected only when they are processed", async () => {
    const host = await startHost(settings())
    // The last is in a request of its own, which is accepted before the first request is processed.
    const codes = Array.from({ length: 101 }, (_, index) => `LATE-${index}`)
    const products = codes.map((code, index) => productInput(code, index === 100 ? { slug: "tee-late-0" } : {}))
    writeFileSync(file("products.jsonl"), products.map((one) => JSON.stringify(one)).join("\n"))
    const report = file("products.csv")
    const { code, stdout } = await files(
      "import",
      "products",
      file("products.jsonl"),
      "--report",
      report,
      "--url",
      host.url
    )
    const [, failed = ""] = readFileSync(report, "utf8").split("\n")
    deepStrictEqual([code, stdout], [1, `101 records, 1 failed; the report is ${report}\n`], failed)
    strictEqual(failed.startsWith("101,SLUG_TAKEN,"), true, failed)
    await host.stop()
  })

  it("says in a sentence what it can't do", async () => {
    const missing = await files("import", "stock", file("none.csv"))
    deepStrictEqual(
      [missing.code, missing.stderr],
      [1, `The file ${JSON.stringify(file("none.csv"))} can't be read. Check its path\n`]
    )
    const format = await files("import", "stock", file("none.xls"))
    deepStrictEqual([format.code, format.stderr], [1, "The file's name must end with .csv, .jsonl or .ndjson\n"])
  })
})
