/** Gives a process a part of a core, as if it ran on a slower machine. It uses a control group of Linux. */
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Schedule } from "effect"

const root = "/sys/fs/cgroup"

/** The period of the limit. It is short, so that a process that has used up its part waits only milliseconds. */
const periodMicros = 20_000

/** Whether control groups have version 2. Version 1 has a tree for each resource. */
const unified = existsSync(join(root, "cgroup.controllers"))
const parent = unified ? root : join(root, "cpu")

const files = (cores: number): Readonly<Record<string, string>> => {
  const quota = Math.round(cores * periodMicros)
  return unified
    ? { "cpu.max": `${quota} ${periodMicros}` }
    : { "cpu.cfs_period_us": String(periodMicros), "cpu.cfs_quota_us": String(quota) }
}

const made = (cores: number): string => {
  const group = join(parent, `crossdock-${crypto.randomUUID()}`)
  mkdirSync(group)
  try {
    for (const [file, text] of Object.entries(files(cores))) writeFileSync(join(group, file), text)
  } catch (error) {
    rmdirSync(group)
    throw error
  }
  return group
}

/** Removes a group. This is possible only a moment after its last process has ended. */
const remove = (group: string) =>
  Effect.try(() => rmdirSync(group)).pipe(
    Effect.retry({ schedule: Schedule.spaced("100 millis"), times: 50 }),
    Effect.orDie
  )

/** Makes a group. Processes that are added to it share `cores`. They must end before the scope of the group. */
export const make = (cores: number) =>
  Effect.acquireRelease(
    Effect.try({
      try: () => made(cores),
      catch: (cause) =>
        new Error(
          `A host can't be limited to ${cores} cores by a control group in ${parent} (${cause instanceof Error ? cause.message : cause}): that needs Linux, root, the controller cpu, and at least 0.05 cores`,
          { cause }
        )
    }),
    remove
  ).pipe(Effect.map((group) => (process: number) => writeFileSync(join(group, "cgroup.procs"), String(process))))
