/**
 * Prints the path of Chromium and the folder of its libraries as JSON. The package is unpacked once, beside itself.
 * On other platforms, it prints the path in `CHROMIUM`, or of the installed Chromium.
 */
import { existsSync, mkdirSync } from "node:fs"
import { join } from "node:path"

const folder = join(import.meta.dirname, "node_modules", ".chromium")

const unpacked = async () => {
  mkdirSync(folder, { recursive: true })
  process.env.TMPDIR = folder
  // The package unpacks its libraries only on AWS, so this pretends to be AWS.
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
