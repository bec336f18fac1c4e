/**
 * `npm run files -- import stock FILE` and `npm run files -- export stock FILE`: stock, prices, products and orders from and to
 * files of CSV or JSON lines, through the HTTP interfaces of a host.
 */
import "@crossdock/cli/NodeVersion"
import { StartFailure } from "@crossdock/cli/StartFailure"
import { MarketplaceClient, SellerClient } from "@crossdock/client"
import { Export, Import, Lines } from "@crossdock/files"
import { Effect, FileSystem, Redacted, Stream } from "effect"
import { Argument, Flag } from "effect/cli"
import { FetchHttpClient } from "effect/http"
import * as CommandLine from "./CommandLine.ts"

const kinds = ["stock", "prices", "products", "orders"] as const

type Kind = (typeof kinds)[number]

interface Options {
  readonly direction: "import" | "export"
  readonly kind: Kind
  readonly file: string
  readonly url: string
  readonly username: string
  readonly columns: string
  readonly template: string
  readonly report: string
}

const formatOf = (file: string): Effect.Effect<Lines.Format, StartFailure> =>
  file.endsWith(".csv")
    ? Effect.succeed("csv")
    : /\.(jsonl|ndjson)$/.test(file)
      ? Effect.succeed("jsonl")
      : Effect.fail(new StartFailure({ message: "The file's name must end with .csv, .jsonl or .ndjson" }))

const secret = Effect.suspend(() => {
  const { CROSSDOCK_PASSWORD: password } = process.env
  return password === undefined
    ? Effect.fail(new StartFailure({ message: "Set CROSSDOCK_PASSWORD to the password of the account" }))
    : Effect.succeed(Redacted.make(password))
})

const clients = ({ url, username }: Options) =>
  Effect.gen(function* () {
    const password = yield* secret
    return {
      seller: yield* SellerClient.make({ url, username, password }),
      marketplace: yield* MarketplaceClient.make({ url, slug: username, username, password })
    }
  })

type Clients = Effect.Success<ReturnType<typeof clients>>

/** How each kind is sent. */
const sending = (
  { marketplace, seller }: Clients,
  { template }: Options
): { readonly [K in Kind]: Parameters<typeof Import.run<never>>[1] } => ({
  stock: (records) => seller.parts.stock.update(records),
  prices: (records) => seller.parts.price.update(records),
  products: (records) => seller.parts.products.create(records, { payload: { template } }),
  orders: Import.each((payload) => marketplace.orders.create({ payload }))
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
const reading = ({ seller }: Clients) => ({
  stock: seller.pages.listings.page(),
  prices: Stream.filter(seller.pages.listings.page(), ({ esp }) => esp !== null),
  products: seller.pages.catalog.products(),
  orders: Stream.flatMap(Stream.fromIterable(statuses), (orderStatus) =>
    seller.pages.shipments.info({ query: { orderStatus } })
  )
})

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

const importing = (options: Options, format: Lines.Format) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    yield* Effect.mapError(
      files.access(options.file, { readable: true }),
      () => new StartFailure({ message: `The file ${JSON.stringify(options.file)} can't be read. Check its path` })
    )
    const lines = Lines.read(format, Stream.toAsyncIterable(files.stream(options.file)))
    const done = { lines: 0, failed: 0 }
    const failures = Stream.map(
      Import.run(lines, sending(yield* clients(options), options)[options.kind]),
      ({ failed, lines }) => {
        done.lines += lines
        done.failed += failed.length
        return Export.report(failed)
      }
    )
    yield* written(options.report, Stream.concat(Stream.succeed(Export.reportHead), failures))
    process.stdout.write(`${done.lines} records, ${done.failed} failed; the report is ${options.report}\n`)
  })

const exporting = (options: Options, format: Lines.Format) =>
  Effect.gen(function* () {
    const records: Stream.Stream<unknown, { readonly message: string }> = reading(yield* clients(options))[options.kind]
    const columns = options.columns === "" ? usualColumns[options.kind] : options.columns.split(",")
    if (format === "jsonl") return yield* written(options.file, Export.jsonl(records))
    if (columns === undefined) {
      return yield* new StartFailure({ message: "Name the columns, such as --columns item_code,sizes.0.price" })
    }
    return yield* written(options.file, Export.csv(records, columns))
  })

const text = (name: string, fallback: string, description: string) =>
  Flag.String(name).pipe(
    Flag.withDescription(fallback === "" ? description : `${description} (default: ${fallback})`),
    Flag.withDefault(fallback)
  )

CommandLine.main({
  name: "files",
  does:
    "Imports stock, prices, products and orders from a file into a host, or exports them from it. A file is CSV (.csv), whose " +
    "first line has the paths of the fields, such as sizes.0.price, or has one JSON object a line (.jsonl). The password is " +
    "read from CROSSDOCK_PASSWORD. An import says in its report which lines failed, and why.",
  options: {
    direction: Argument.Literals("direction", ["import", "export"]),
    kind: Argument.Literals("kind", kinds),
    file: Argument.String("file"),
    url: text("url", "http://127.0.0.1:8080", "where the host is"),
    username: text("username", "acme", "the integration, or for an import of orders the marketplace"),
    columns: text("columns", "", "of an export to CSV: the fields, with commas between them"),
    template: text("template", "apparel", "of an import of products: their template"),
    report: text("report", "report.csv", "of an import: where to write the lines that failed")
  },
  run: (options) =>
    Effect.flatMap(formatOf(options.file), (format) =>
      options.direction === "import" ? importing(options, format) : exporting(options, format)
    ).pipe(Effect.provide(FetchHttpClient.layer), Effect.as(undefined))
})
