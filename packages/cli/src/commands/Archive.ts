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

export const command = CommandLine.group("archive", "Closed orders in files.", [move])
