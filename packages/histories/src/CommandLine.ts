/**
 * The options of a test program. What can't be used ends it with one sentence and exit code 2.
 */
import { type ParseArgsConfig, parseArgs } from "node:util"

export const reject = (message: string): never => {
  process.stderr.write(`${message}\n`)
  process.exit(2)
}

/**
 * The values of the options on the command line, or their defaults.
 */
export const read = <const Options extends NonNullable<ParseArgsConfig["options"]>>(options: Options) => {
  try {
    return parseArgs({ options }).values
  } catch (error) {
    return reject(error instanceof Error ? error.message : String(error))
  }
}

/**
 * The whole number from 1 on that an option states.
 */
export const whole = (name: string, text: string): number =>
  /^[1-9]\d*$/.test(text)
    ? Number(text)
    : reject(`--${name} must be a whole number from 1 on, not ${JSON.stringify(text)}`)
