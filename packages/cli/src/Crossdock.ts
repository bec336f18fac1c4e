/** The command `crossdock` with all its subcommands. */
import { Command } from "effect/cli"
import * as CommandLine from "./CommandLine.ts"
import * as Account from "./commands/Account.ts"
import * as Archive from "./commands/Archive.ts"
import * as Audit from "./commands/Audit.ts"
import * as Backup from "./commands/Backup.ts"
import * as Clock from "./commands/Clock.ts"
import * as Company from "./commands/Company.ts"
import * as Coupon from "./commands/Coupon.ts"
import * as Doctor from "./commands/Doctor.ts"
import * as Endpoint from "./commands/Endpoint.ts"
import * as Export from "./commands/Export.ts"
import * as Import from "./commands/Import.ts"
import * as Init from "./commands/Init.ts"
import * as Listen from "./commands/Listen.ts"
import * as Location from "./commands/Location.ts"
import * as Marketplace from "./commands/Marketplace.ts"
import * as Migrate from "./commands/Migrate.ts"
import * as Orders from "./commands/Orders.ts"
import * as Plan from "./commands/Plan.ts"
import * as Reference from "./commands/Reference.ts"
import * as RotateSecret from "./commands/RotateSecret.ts"
import * as Shipment from "./commands/Shipment.ts"
import * as Start from "./commands/Start.ts"
import * as Stock from "./commands/Stock.ts"
import * as Trigger from "./commands/Trigger.ts"
import { version } from "./Host.ts"

const codes = Object.entries(CommandLine.exitCodes).map(([code, meaning]) => `  ${code.padEnd(5)}${meaning}`)

export const command = Command.make("crossdock").pipe(
  Command.withDescription(
    `Starts and manages a Crossdock host. Hosts may be running meanwhile.\n\n  Exit codes:\n  ${codes.join("\n  ")}`
  ),
  Command.withSubcommands([
    { group: "Run", commands: [Start.command, Migrate.command] },
    {
      group: "Set up",
      commands: [
        Company.command,
        Location.command,
        Account.seller,
        Account.client,
        Account.operator,
        Marketplace.command,
        Endpoint.command,
        Plan.command,
        Coupon.command,
        Reference.command
      ]
    },
    {
      group: "Operate",
      commands: [
        Doctor.command,
        Stock.command,
        Shipment.command,
        Orders.command,
        Audit.command,
        Archive.command,
        Backup.backup,
        Backup.restore,
        Backup.restored,
        RotateSecret.command
      ]
    },
    {
      group: "Try and connect",
      commands: [Init.command, Listen.command, Trigger.command, Clock.command, Import.command, Export.command]
    }
  ]),
  Command.withGlobalFlags([CommandLine.Database, CommandLine.Json])
)

/** Runs the command with these arguments, and returns its exit code. */
export const run = (args: ReadonlyArray<string>) => CommandLine.run(command, version, args)
