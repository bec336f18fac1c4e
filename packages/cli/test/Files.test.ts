import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { productInput } from "@crossdock/catalog/testing"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, PlatformError, Stream } from "effect"
import * as Api from "../../../lab/system-tests/src/Api.ts"
import { settings, startHost } from "../../../lab/system-tests/test/TestHost.ts"
import { temporaryFolder } from "../../http/test/TemporaryFolder.ts"
import { line, order, place, seen, seller, setStock, shipmentOf } from "../../http/test/TestOrders.ts"
import * as Audit from "../src/commands/Audit.ts"
import * as FileFailure from "../src/FileFailure.ts"
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

  it("imports nothing of a file whose columns can't all have a value, and says which", async () => {
    const host = await startHost(settings())
    const report = file("columns.report.csv")
    for (const [columns, sentence] of [
      ["sku,attributes,attributes.color", "can't both have a value"],
      ["location_id,sku,sizes.5000000000.price", "is not the path of a field"]
    ] as const) {
      writeFileSync(file("columns.csv"), `${columns}\nBLR1,85123A,9\n`)
      const { code, stderr, stdout } = await files(
        "import",
        "stock",
        file("columns.csv"),
        "--report",
        report,
        "--force",
        "--url",
        host.url
      )
      deepStrictEqual([code, stderr, stdout], [1, "", `1 record, 1 failed; the report is ${report}\n`])
      const [, failed = "", ...others] = readFileSync(report, "utf8").trim().split("\n")
      deepStrictEqual(
        [failed.startsWith("1,INVALID_LINE,"), failed.includes(sentence), others],
        [true, true, []],
        failed
      )
    }
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

  it("exports the shipments of every status", async () => {
    const host = await startHost(settings())
    const [acme, bazaar] = [await Api.seller(host.url), await Api.marketplace(host.url)]
    await setStock(acme, 10, ["85123A"])
    const ids = [
      await place(bazaar, order([shipmentOf([line("85123A")])])),
      await place(bazaar, order([shipmentOf([line("85123A")])]))
    ].map(({ shipments }) => shipments[0]?.shipment_id ?? "")
    const [, cancelled = ""] = ids
    const items = (await seen(acme, cancelled)).orderItems.map(({ orderItemId, quantity }) => ({
      orderItemId,
      quantity
    }))
    strictEqual(await seller(acme).cancel(cancelled, items), "ok")
    const exported = await files("export", "shipments", file("shipments.jsonl"), "--url", host.url)
    deepStrictEqual([exported.code, exported.stderr], [0, ""])
    const lines = readFileSync(file("shipments.jsonl"), "utf8").trim().split("\n")
    strictEqual(lines.length, 2)
    for (const id of ids) strictEqual(lines.filter((text) => text.includes(`"${id}"`)).length, 1, id)
    acme.close()
    bazaar.close()
    await host.stop()
  })

  it("overwrites a file only with --force", async () => {
    const host = await startHost(settings())
    const at = ["--url", host.url]
    writeFileSync(file("kept.csv"), "kept")
    writeFileSync(file("one.csv"), "location_id,sku,quantity\nBLR1,85123A,9\n")
    for (const args of [
      ["export", "stock", file("kept.csv"), ...at],
      ["import", "stock", file("one.csv"), "--report", file("kept.csv"), ...at]
    ]) {
      const { code, stderr } = await files(...args)
      const says = `There is a file ${file("kept.csv")} already: choose another name, or add --force\n`
      deepStrictEqual([code, stderr, readFileSync(file("kept.csv"), "utf8")], [1, says, "kept"])
    }
    strictEqual((await files("export", "stock", file("kept.csv"), "--force", ...at)).code, 0)
    strictEqual(readFileSync(file("kept.csv"), "utf8"), "location_id,sku,quantity\n")
    await host.stop()
  })

  it("leaves no part of an export that fails, nor replaces a file by one", async () => {
    const host = await startHost(settings())
    const folderOf = mkdtempSync(join(folder, "partial-"))
    const at = ["--url", host.url, "--seller", "nobody"]
    const kept = join(folderOf, "kept.csv")
    writeFileSync(kept, "kept", { mode: 0o600 })
    strictEqual((await files("export", "stock", kept, "--force", ...at)).code, 1)
    strictEqual((await files("export", "stock", join(folderOf, "new.csv"), ...at)).code, 1)
    deepStrictEqual([readdirSync(folderOf), readFileSync(kept, "utf8")], [["kept.csv"], "kept"])
    strictEqual((await files("export", "stock", kept, "--force", "--url", host.url)).code, 0)
    deepStrictEqual([readdirSync(folderOf), statSync(kept).mode & 0o777], [["kept.csv"], 0o600])
    await host.stop()
  })

  it("writes nothing where a link leads to", async () => {
    const host = await startHost(settings())
    const [link, target] = [file("link.csv"), file("target.csv")]
    symlinkSync(target, link)
    strictEqual((await files("export", "stock", link, "--url", host.url)).code, 0)
    deepStrictEqual([lstatSync(link).isSymbolicLink(), existsSync(target)], [false, false])
    await host.stop()
  })

  it("writes a report that its owner alone can read, in place of an earlier one under this name alone", async () => {
    const host = await startHost(settings())
    const [data, earlier, other] = [file("failing.csv"), file("earlier.csv"), file("other-name.csv")]
    writeFileSync(data, "location_id,sku,quantity\nBLR1,85123A,-1\n")
    const at = ["--url", host.url]
    writeFileSync(earlier, "earlier", { mode: 0o644 })
    linkSync(earlier, other)
    const named = await files("import", "stock", data, "--report", earlier, "--force", ...at)
    strictEqual(named.code, 1, named.stderr)
    for (const _ of ["first", "again"]) strictEqual((await files("import", "stock", data, ...at)).code, 1)
    for (const report of [earlier, `${data}.report.csv`]) {
      strictEqual(statSync(report).mode & 0o777, 0o600)
      strictEqual(readFileSync(report, "utf8").split("\n").length, 3)
    }
    strictEqual(readFileSync(other, "utf8"), "earlier")
    await host.stop()
  })

  it("writes no report where a link leads to, nor in place of what is not a file", async () => {
    const host = await startHost(settings())
    const [data, link, target] = [file("linked.csv"), file("linked-report.csv"), file("report-target.csv")]
    writeFileSync(data, "location_id,sku,quantity\nBLR1,85123A,-1\n")
    symlinkSync(target, link)
    symlinkSync(target, `${data}.report.csv`)
    const directory = file("report-folder")
    mkdirSync(directory)
    const attempt = async (report: string, ...args: ReadonlyArray<string>) => {
      const { code, stderr } = await files("import", "stock", data, ...args, "--url", host.url)
      const says = `${report} is a link or not a file, so the report can't replace it: choose another name\n`
      deepStrictEqual([code, stderr], [1, says])
      strictEqual(lstatSync(report).isFile(), false)
    }
    await attempt(link, "--report", link)
    await attempt(`${data}.report.csv`)
    strictEqual(existsSync(target), false)
    writeFileSync(target, "kept")
    await attempt(link, "--report", link, "--force")
    await attempt(`${data}.report.csv`)
    await attempt(directory, "--report", directory, "--force")
    strictEqual(readFileSync(target, "utf8"), "kept")
    await host.stop()
  })

  it("doesn't replace the file that it imports by the report, whatever name the report has", async () => {
    const [data, link] = [file("imported.csv"), file("imported-link.csv")]
    const text = "location_id,sku,quantity\nBLR1,85123A,9\n"
    writeFileSync(data, text)
    symlinkSync(data, link)
    for (const [read, report] of [
      [data, data],
      [link, data]
    ] as const) {
      const { code, stderr } = await files("import", "stock", read, "--report", report, "--force")
      const says = `${report} is the file that is imported, which the report would replace: choose another name\n`
      deepStrictEqual([code, stderr], [1, says])
    }
    strictEqual(readFileSync(data, "utf8"), text)
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

  it("says in a sentence why a report can't be written, before anything is sent", async () => {
    writeFileSync(file("few.csv"), "location_id,sku,quantity\nBLR1,85123A,9\n")
    const reported = (report: string) =>
      files("import", "stock", file("few.csv"), "--report", report, "--url", "http://127.0.0.1:1")
    const nowhere = file("no-folder/report.csv")
    const without = await reported(nowhere)
    deepStrictEqual(
      [without.code, without.stderr],
      [1, `${JSON.stringify(nowhere)} doesn't exist, or its folder doesn't\n`]
    )
    const below = await reported(join(file("few.csv"), "report.csv"))
    deepStrictEqual(
      [below.code, below.stderr],
      [1, `${JSON.stringify(join(file("few.csv"), "report.csv"))} is inside something that is not a folder\n`]
    )
  })

  it("names the file that the caller named, and not a part or a descriptor of it, when it can't be used", async () => {
    const host = await startHost(settings())
    const at = ["--url", host.url]
    const folderOf = file("folder.csv")
    mkdirSync(folderOf)
    symlinkSync("loop.csv", file("loop.csv"))
    for (const [name, sentence, ...args] of [
      [folderOf, "is a folder", "import", "stock", folderOf, ...at],
      [folderOf, "is a folder", "export", "stock", folderOf, "--force", ...at],
      [folderOf, "is a folder", "audit", "verify", "--file", folderOf],
      [file("loop.csv"), "is a link that leads back to itself", "export", "stock", file("loop.csv"), ...at],
      [file("no-folder/out.csv"), "doesn't exist, or its folder doesn't", "export", "stock", file("no-folder/out.csv")]
    ] as const) {
      const { code, stderr } = await files(...args)
      deepStrictEqual([code, stderr], [1, `${JSON.stringify(name)} ${sentence}\n`])
    }
    await host.stop()
  })
})

describe("Exports of trails and orders", () => {
  it("are their owner's alone, and leave no part when they fail", async () => {
    const folder = temporaryFolder()
    const [whole, part] = [join(folder, "whole.jsonl"), join(folder, "part.jsonl")]
    const write = <E>(out: string, texts: Stream.Stream<string, E>) =>
      Effect.runPromiseExit(Effect.scoped(Audit.written(out, texts)).pipe(Effect.provide(NodeServices.layer)))
    const before = process.umask(0o000)
    try {
      strictEqual((await write(whole, Stream.make("1\n", "2\n")))._tag, "Success")
    } finally {
      process.umask(before)
    }
    deepStrictEqual([readFileSync(whole, "utf8"), statSync(whole).mode & 0o777], ["1\n2\n", 0o600])
    const failing = Stream.concat(Stream.make("1\n"), Stream.fail("the database has ended"))
    deepStrictEqual([(await write(part, failing))._tag, existsSync(part)], ["Failure", false])
    deepStrictEqual([(await write(whole, failing))._tag, readFileSync(whole, "utf8")], ["Failure", "1\n2\n"])
  })
})

describe("The sentence about a file that can't be used", () => {
  const errorOf = (code: string) => Object.assign(new Error(`${code}: said by the system`), { code })
  const onDescriptor = (code: string) =>
    PlatformError.systemError({
      module: "FileSystem",
      method: "writeAll",
      _tag: "Unknown",
      pathOrDescriptor: 21,
      cause: errorOf(code)
    })

  it("names a file that is known only by its descriptor", () => {
    const failed = Effect.runSync(Effect.flip(Effect.fail(onDescriptor("ENOSPC")).pipe(FileFailure.named("out.csv"))))
    strictEqual(failed.message, `"out.csv" can't be written: the disk is full`)
    strictEqual(FileFailure.ownSentenceOf(onDescriptor("ENOSPC")), "Unknown: FileSystem.writeAll (21)")
  })

  it("has the system's own words for what it doesn't know", () => {
    strictEqual(FileFailure.sentenceOf(onDescriptor("EIO"), "a.csv"), `"a.csv" can't be used (EIO: said by the system)`)
  })

  it("shows no control character of a name", () => {
    strictEqual(FileFailure.sentenceOf(errorOf("EISDIR"), "a\u001b[31m\nb.csv"), `"a\\u001b[31m\\nb.csv" is a folder`)
  })
})
