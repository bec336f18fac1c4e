/**
 * Prints where Chromium is, and the folder of the libraries that it needs, as JSON. The package has both compressed: they are
 * unpacked once, beside it. A machine without the package's platform uses the Chromium of `CHROMIUM`, or the installed one.
 */
import { existsSync, mkdirSync } from "node:fs"
import { join } from "node:path"

const folder = join(import.meta.dirname, "node_modules", ".chromium")

const unpacked = async () => {
  mkdirSync(folder, { recursive: true })
  process.env.TMPDIR = folder
  // The package unpacks its libraries where it takes the machine for one of AWS.
  process.env.AWS_EXECUTION_ENV = "AWS_Lambda_nodejs24.x"
  const { default: chromium } = await import("@sparticuz/chromium")
  chromium.setGraphicsMode = false
  return { path: await chromium.executablePath(), libraries: join(folder, "al2023", "lib") }
}

const installed = [process.env.CHROMIUM ?? "", "/usr/bin/chromium", "/usr/bin/google-chrome"].find((path) =>
  existsSync(path)
)
const found = process.platform === "linux" && process.arch === "x64" ? await unpacked() : { path: installed }
process.stdout.write(JSON.stringify(found))
