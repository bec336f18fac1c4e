/** `crossdock archive`: closed orders and old audit records, in files. Source: docs/guides/growing.md#archive. */
import { Instant } from "@crossdock/kernel"
import { Clock } from "effect"
import * as Answer from "../Answer.ts"
import * as Archive from "../Archive.ts"
import * as CommandLine from "../CommandLine.ts"
import { define } from "../Management.ts"

const directory = CommandLine.argument("directory", "the archive; created if it doesn't exist")

const move = define({
  name: "move",
  does: "Moves closed orders from the database to files of their months, once the month is older than a number of days. Run it for one archive at a time. The files contain personal data, so keep them as safe as a backup.",
  examples: ["archive move ./archive --days 400"],
  options: { directory, days: CommandLine.whole("days", "how many days orders are kept in the database", 90) },
  *run({ days, directory }) {
    const before = Archive.beginningOf((yield* Clock.currentTimeMillis) - days * Instant.dayMillis)
    const orders = yield* Archive.moveOrders(directory, before)
    return Answer.sentence(`Moved ${Answer.counted(orders, "order")} to ${directory}.`, { orders })
  }
})

const find = define({
  name: "find",
  does: "Prints an archived order and its shipments as JSON: the newest one with this id. By the id of an order or a shipment, or by the marketplace's id of the order, it reads the files of one month; by an AWB, all of them.",
  examples: ["archive find ./archive WEB-10001"],
  options: {
    directory: CommandLine.argument("directory", "the archive"),
    id: CommandLine.argument("id", "an order's id, here or at its marketplace, a shipment's id or an AWB")
  },
  *run({ directory, id }) {
    const found = yield* Archive.find(directory, id)
    return Answer.sentence(JSON.stringify(found, null, 2), found)
  }
})

export const command = CommandLine.group("archive", "Closed orders in files.", [move, find])
