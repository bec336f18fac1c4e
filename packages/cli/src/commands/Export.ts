/** `crossdock export`: writes stock, prices, products and shipments, read through a host's seller interface, to a file. */
import { Export } from "@crossdock/files"
import { orderStatusValues } from "@crossdock/shipments"
import { Effect, Stream } from "effect"
import { Argument } from "effect/cli"
import * as Answer from "../Answer.ts"
import { CommandFailure } from "../CommandFailure.ts"
import * as CommandLine from "../CommandLine.ts"
import * as RecordFile from "../RecordFile.ts"
import * as RunningHost from "../RunningHost.ts"

/** The kinds of records to export. Orders are missing, since sellers read only shipments. */
const kinds = ["stock", "prices", "products", "shipments"] as const

const reading = (url: string, seller: string) =>
  Effect.map(RunningHost.sellerOf(url, seller), ({ pages }) => ({
    stock: pages.listings.page(),
    prices: Stream.filter(pages.listings.page(), ({ esp }) => esp !== null),
    products: pages.catalog.products(),
    shipments: Stream.flatMap(Stream.fromIterable(orderStatusValues), (orderStatus) =>
      pages.shipments.info({ query: { orderStatus } })
    )
  }))

/** The default columns. They are those that an import of the same kind reads. */
const usualColumns: { readonly [K in (typeof kinds)[number]]?: ReadonlyArray<string> } = {
  stock: ["location_id", "sku", "quantity"],
  prices: ["location_id", "sku", "esp", "mrp", "currency"]
}

const { seller, url } = RunningHost

export const command = RunningHost.define({
  name: "export",
  does: `Exports stock, prices, products or shipments of a running host to a file. ${RunningHost.passwords}`,
  examples: ["export stock levels.csv", "export products products.csv --columns item_code,sizes.0.price"],
  options: {
    kind: Argument.Literals("kind", kinds).pipe(Argument.withDescription(kinds.join(", "))),
    file: RecordFile.file,
    url,
    seller,
    columns: CommandLine.list(
      "columns",
      "for CSV: the paths of the fields, comma-separated (default for stock and prices: the columns of an import)"
    ),
    force: RecordFile.force
  },
  *run({ columns, file, force, kind, seller, url }) {
    const format = yield* RecordFile.formatOf(file)
    yield* RecordFile.rejectExisting(file, force)
    const records: Stream.Stream<unknown, { readonly message: string }> = (yield* reading(url, seller))[kind]
    const chosen = columns ?? usualColumns[kind]
    const counted = { records: 0 }
    const all = Stream.tap(records, () => Effect.sync(() => counted.records++))
    if (format === "csv" && chosen === undefined)
      return yield* new CommandFailure("Name the columns, such as --columns item_code,sizes.0.price")
    yield* RecordFile.replaced(file, format === "jsonl" ? Export.jsonl(all) : Export.csv(all, chosen ?? []))
    return Answer.sentence(`${Answer.counted(counted.records, "record")} in ${file}`, { ...counted, file })
  }
})
