/**
 * Runs the built test programs named on standard input in turn in this process, and prints how each ended. In their own
 * processes each would load the same thousand modules.
 */
import { text } from "node:stream/consumers"
import type { Ended, Invocation } from "./TestCommand.ts"

const { write } = process.stdout

/** Importing a program runs it. The number makes it a new module each time, with the same imports. */
const run = async ({ args, script }: Invocation, nth: number): Promise<Ended> => {
  const said = { stdout: "", stderr: "" }
  for (const name of ["stdout", "stderr"] as const)
    process[name].write = (chunk: Uint8Array | string) => {
      said[name] += chunk
      return true
    }
  process.argv.splice(1, process.argv.length, script, ...args)
  const code = await new Promise<number>((resolve, reject) => {
    process.exit = ((code: number) => resolve(code)) as never
    import(`${script}?${nth}`).catch(reject)
  })
  return { ...said, code }
}

const exit = process.exit
const ended: Array<Ended> = []
for (const [nth, one] of (JSON.parse(await text(process.stdin)) as ReadonlyArray<Invocation>).entries())
  ended.push(await run(one, nth))
process.stdout.write = write
process.stdout.write(JSON.stringify(ended), () => exit(0))
