/**
 * All commands of the tree, from the first to the last.
 */
import * as Crossdock from "@crossdock/cli/Crossdock"
import type { Command } from "effect/cli"

export interface Leaf {
  readonly path: string
  readonly command: Command.Command.Any
}

const leavesOf = (command: Command.Command.Any, path: string): ReadonlyArray<Leaf> =>
  command.subcommands.length === 0
    ? [{ path, command }]
    : command.subcommands.flatMap(({ commands }) =>
        commands.flatMap((one) => leavesOf(one, `${path} ${one.name}`.trim()))
      )

export const leaves = leavesOf(Crossdock.command, "")
