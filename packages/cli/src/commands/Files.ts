/**
 * `crossdock import` and `crossdock export`: stock, prices, products and orders from and to files of CSV or JSON lines, through
 * the HTTP interfaces of a running host.
 */
import type { ApiError, NetworkError } from "@crossdock/client"
import { Export, Import, Lines } from "@crossdock/files"
import { Effect, FileSystem, Stream } from "effect"
import { Argument, Flag } from "effect/cli"
import { FetchHttpClient } from "effect/http"
import * as Answer from "../Answer.ts"
import { CommandFailure } from "../CommandFailure.ts"
import * as CommandLine from "../CommandLine.ts"
import * as RunningHost from "../RunningHost.ts"
import { progress } from "../Terminal.ts"

const kinds = ["stock", "prices", "products", "orders"] as const

type Kind = (typeof kinds)[number]

const formatOf = (file: string): Effect.Effect<Lines.Format, CommandFailure> =>
  file.endsWith(".csv")
    ? Effect.succeed("csv")
    : /\.(jsonl|ndjson)$/.test(file)
      ? Effect.succeed("jsonl")
      : Effect.fail(new CommandFailure({ message: "The file's name must end with .csv, .jsonl or .ndjson" }))

interface Account {
  readonly url: string
  readonly seller: string
  readonly marketplace: string
}

/** How each kind is sent. */
const sending = ({ marketplace, seller, url }: Account, template: string) =>
  Effect.gen(function* () {
    const [ours, theirs] = [
      yield* RunningHost.sellerOf(url, seller),
      yield* RunningHost.marketplaceOf(url, marketplace)
    ]
    const send: { readonly [K in Kind]: Parameters<typeof Import.run<ApiError | NetworkError>>[1] } = {
      stock: (records) => ours.parts.stock.update(records),
      prices: (records) => ours.parts.price.update(records),
      products: (records) => Import.processed(ours, ours.parts.products.create(records, { payload: { template } })),
      orders: Import.each((payload) => theirs.orders.create({ payload }))
    }
    return send
  })

const statuses = [
  "CREATED",
  "CONFIRMED",
  "PROCESSING",
  "COMPLETED",
  "TRANSIT",
  "HANDED_OVER_TO_CUSTOMER",
  "DELIVERED",
  "RETURN_PROCESSING",
  "RETURN_DELIVERED",
  "CANCELLED"
] as const

/** How each kind is read. */
const reading = ({ seller, url }: Account) =>
  Effect.map(RunningHost.sellerOf(url, seller), ({ pages }) => ({
    stock: pages.listings.page(),
    prices: Stream.filter(pages.listings.page(), ({ esp }) => esp !== null),
    products: pages.catalog.products(),
    orders: Stream.flatMap(Stream.fromIterable(statuses), (orderStatus) =>
      pages.shipments.info({ query: { orderStatus } })
    )
  }))

/** What an import of the same kind reads again. */
const usualColumns: { readonly [K in Kind]?: ReadonlyArray<string> } = {
  stock: ["location_id", "sku", "quantity"],
  prices: ["location_id", "sku", "esp", "mrp", "currency"]
}

const written = <E>(file: string, text: Stream.Stream<string, E>) =>
  Effect.flatMap(FileSystem.FileSystem, (files) =>
    Stream.run(
      text.pipe(
        Stream.grouped(500),
        Stream.map((pieces) => pieces.join("")),
        Stream.encodeText
      ),
      files.sink(file)
    )
  )

const kind = Argument.Literals("kind", kinds).pipe(Argument.withDescription(kinds.join(", ")))
const file = Argument.String("file").pipe(
  Argument.withDescription(
    "CSV (.csv), whose first line has the paths of the fields, or one JSON object a line (.jsonl)"
  )
)
const { marketplace, seller, url } = RunningHost

export const importing = CommandLine.define({
  name: "import",
  does: `Imports stock, prices, products or orders from a file into a running host. The report has the lines that failed, and why; one of them ends the command with 1. ${RunningHost.passwords}`,
  examples: ["import stock stock.csv --report failed.csv"],
  options: {
    kind,
    file,
    url,
    seller,
    marketplace,
    template: Flag.String("template").pipe(
      Flag.withDescription("of products: their template (default: apparel)"),
      Flag.withDefault("apparel")
    ),
    report: Flag.String("report").pipe(
      Flag.withDescription("where to write the lines that failed (default: report.csv)"),
      Flag.withDefault("report.csv")
    )
  },
  run: ({ file, kind, report, template, ...account }) =>
    Effect.gen(function* () {
      const format = yield* formatOf(file)
      const files = yield* FileSystem.FileSystem
      yield* Effect.mapError(
        files.access(file, { readable: true }),
        () => new CommandFailure({ message: `The file ${JSON.stringify(file)} can't be read. Check its path` })
      )
      const lines = Lines.read(format, Stream.toAsyncIterable(files.stream(file)))
      const send = (yield* sending(account, template))[kind]
      const done = { lines: 0, failed: 0 }
      const failures = Stream.mapEffect(Import.run(lines, send), ({ failed, lines }) => {
        done.lines += lines
        done.failed += failed.length
        return Effect.as(progress(`${done.lines} records`), Export.report(failed))
      })
      yield* written(report, Stream.concat(Stream.succeed(Export.reportHead), failures))
      const text = `${done.lines} records, ${done.failed} failed; the report is ${report}`
      const json = { records: done.lines, failed: done.failed, report }
      return Answer.faulty(Answer.sentence(text, json), done.failed > 0)
    }).pipe(Effect.provide(FetchHttpClient.layer))
})

export const exporting = CommandLine.define({
  name: "export",
  does: `Exports stock, prices, products or orders of a running host to a file. ${RunningHost.passwords}`,
  examples: ["export stock stock.csv", "export products products.csv --columns item_code,sizes.0.price"],
  options: {
    kind,
    file,
    url,
    seller,
    columns: CommandLine.list("columns", "of CSV: the fields, with commas between them")
  },
  run: ({ columns, file, kind, seller, url }) =>
    Effect.gen(function* () {
      const format = yield* formatOf(file)
      const records: Stream.Stream<unknown, { readonly message: string }> = (yield* reading({
        url,
        seller,
        marketplace: ""
      }))[kind]
      const chosen = columns ?? usualColumns[kind]
      const counted = { records: 0 }
      const all = Stream.tap(records, () => Effect.sync(() => counted.records++))
      if (format === "csv" && chosen === undefined)
        return yield* new CommandFailure({ message: "Name the columns, such as --columns item_code,sizes.0.price" })
      yield* written(file, format === "jsonl" ? Export.jsonl(all) : Export.csv(all, chosen ?? []))
      return Answer.sentence(`${counted.records} records in ${file}`, { ...counted, file })
    }).pipe(Effect.provide(FetchHttpClient.layer))
})
