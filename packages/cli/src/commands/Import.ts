/** `crossdock import`: sends stock, prices, products and orders through the interfaces of a host, and imports master data. */
import type { ApiError, NetworkError } from "@crossdock/client"
import { Export, Import, Lines } from "@crossdock/files"
import { Effect, FileSystem, Stream } from "effect"
import * as Answer from "../Answer.ts"
import { CommandFailure } from "../CommandFailure.ts"
import * as CommandLine from "../CommandLine.ts"
import * as FileFailure from "../FileFailure.ts"
import * as RecordFile from "../RecordFile.ts"
import * as RunningHost from "../RunningHost.ts"
import { progress } from "../Terminal.ts"
import * as ImportMasterData from "./ImportMasterData.ts"

type Kind = "stock" | "prices" | "products" | "orders"

type Account = Readonly<Record<"url" | "seller" | "marketplace", string>>

const sending = Effect.fnUntraced(function* ({ marketplace, seller, url }: Account, template: string) {
  const [ours, theirs] = [yield* RunningHost.sellerOf(url, seller), yield* RunningHost.marketplaceOf(url, marketplace)]
  const send: { readonly [K in Kind]: Parameters<typeof Import.run<ApiError | NetworkError>>[1] } = {
    stock: (records) => ours.parts.stock.update(records),
    prices: (records) => ours.parts.price.update(records),
    products: (records) => ours.parts.products.create(records, { payload: { template } }),
    orders: Import.each((payload) => theirs.orders.create({ payload }))
  }
  return send
})

const { marketplace, seller, url } = RunningHost

/** The failure of an import that had sent some records. Those records are applied, even if the report lacks them. */
const afterSome = (
  { message }: CommandFailure,
  { failed, lines }: { readonly failed: number; readonly lines: number }
) =>
  new CommandFailure(
    lines === 0
      ? message
      : `${message}. ${Answer.counted(lines, "record")} had been sent, of which ${failed} failed: repeat the import`
  )

const records = (kind: Kind, example: string) =>
  RunningHost.define({
    name: kind,
    does: `Imports ${kind} from a file into a running host. The report, which only its owner can read, lists failed lines with the reasons. Exits with 1 if a line failed. ${RunningHost.passwords}`,
    examples: [`import ${kind} ${example} --report failed-${kind}.csv`],
    options: {
      file: RecordFile.file,
      url,
      seller,
      marketplace,
      template: CommandLine.text("template", "for products: their template (default: apparel)", "apparel"),
      report: CommandLine.optional(
        "report",
        "the file for failed lines, not a symbolic link (default: FILE.report.csv, replacing an earlier report)"
      ),
      force: RecordFile.force
    },
    *run({ file, force, report: named, template, ...account }) {
      const format = yield* RecordFile.formatOf(file)
      if (named !== null) yield* RecordFile.rejectExisting(named, force)
      const report = named ?? `${file}.report.csv`
      yield* RecordFile.rejectSame(file, report)
      const files = yield* FileSystem.FileSystem
      yield* Effect.mapError(
        files.access(file, { readable: true }),
        () => new CommandFailure(`The file ${JSON.stringify(file)} can't be read. Check its path`)
      )
      const content = Stream.mapError(files.stream(file), (error) => FileFailure.of(error, file))
      const lines = Lines.read(format, Stream.toAsyncIterable(content))
      const send = (yield* sending(account, template))[kind]
      const done = { lines: 0, failed: 0 }
      const failures = Stream.mapEffect(Import.run(lines, send), ({ failed, lines }) => {
        done.lines += lines
        done.failed += failed.length
        return Effect.as(progress(Answer.counted(done.lines, "record")), Export.report(failed))
      })
      yield* RecordFile.reported(report, Stream.concat(Stream.succeed(Export.reportHead), failures)).pipe(
        // If the file can't be read any more, `Import.run` dies. For the command, that is an expected failure.
        Effect.catchDefect((defect) => (defect instanceof CommandFailure ? Effect.fail(defect) : Effect.die(defect))),
        Effect.mapError((error) => (error instanceof CommandFailure ? afterSome(error, done) : error))
      )
      const text = `${Answer.counted(done.lines, "record")}, ${done.failed} failed; the report is ${report}`
      const json = { records: done.lines, failed: done.failed, report }
      return Answer.sentence(text, json, done.failed > 0)
    }
  })

export const command = CommandLine.group("import", "Records from CSV or JSON lines.", [
  records("stock", "stock.csv"),
  records("prices", "prices.csv"),
  records("products", "new-products.jsonl"),
  records("orders", "new-orders.jsonl"),
  ...ImportMasterData.commands
])
