/** A browser for tests of pages. */
import { execFileSync } from "node:child_process"
import { createRequire } from "node:module"
import { join } from "node:path"

const tools = join(import.meta.dirname, "../../tools")
const node = (...args: ReadonlyArray<string>) =>
  execFileSync(process.execPath, args, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] })

/** The used parts of puppeteer: its types exist only once it is installed. */
export interface Page {
  readonly goto: (url: string) => Promise<unknown>
  readonly evaluate: <A, Args extends ReadonlyArray<unknown>>(
    run: string | ((...args: Args) => A),
    ...args: Args
  ) => Promise<Awaited<A>>
  readonly evaluateOnNewDocument: (script: string) => Promise<unknown>
  readonly waitForFunction: <Args extends ReadonlyArray<unknown>>(
    run: (...args: Args) => unknown,
    options: object,
    ...args: Args
  ) => Promise<unknown>
  readonly setViewport: (size: { readonly width: number; readonly height: number }) => Promise<void>
  readonly emulateMediaFeatures: (
    features: ReadonlyArray<{ readonly name: string; readonly value: string }>
  ) => Promise<void>
  readonly screenshot: (options: { readonly path: string; readonly fullPage: boolean }) => Promise<unknown>
  readonly on: (
    event: "console" | "pageerror",
    listener: (said: { type?: () => string; text?: () => string; message?: string }) => void
  ) => void
  readonly keyboard: { readonly press: (key: string) => Promise<void> }
}

export interface Browser {
  readonly newPage: () => Promise<Page>
  readonly close: () => Promise<void>
}

/** Chromium from a package, or the installed one. It is undefined on a machine that has neither. */
export const launched = async (): Promise<Browser | undefined> => {
  try {
    // For a run of this file alone. `npm run test:slow` has installed it before.
    node(join(tools, "install.mjs"), "browser")
    const { libraries, path }: { path?: string; libraries?: string } = JSON.parse(
      node(join(tools, "browser/chromium.mjs"))
    )
    const puppeteer = await import(createRequire(import.meta.url).resolve("puppeteer-core"))
    const env = { ...process.env, ...(libraries === undefined ? {} : { LD_LIBRARY_PATH: libraries }) }
    return await puppeteer.launch({
      executablePath: path,
      env,
      headless: "shell",
      args: ["--no-sandbox", "--disable-gpu"]
    })
  } catch (error) {
    // The package has a Chromium for this platform.
    if (process.platform === "linux" && process.arch === "x64") throw error
    console.warn(
      `\n*** SKIPPED: there is no Chromium, so no page was opened. Set CHROMIUM to its path. ***\n${error}\n`
    )
    return undefined
  }
}
