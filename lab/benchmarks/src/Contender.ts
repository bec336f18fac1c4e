/** The three programs that a benchmark compares. Each runs in its own process on a new database. */

import { spawn } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Api from "@crossdock/system-tests/Api"
import * as HostProcess from "@crossdock/system-tests/HostProcess"
import { seedShipments } from "./seed.ts"

export interface Contender {
  readonly name: string
  readonly seller: Api.Api
  readonly marketplace: Api.Api
  readonly stop: () => Promise<unknown>
}

/** Crossdock's host with the sandbox. It starts on a database with `seeded` shipments. */
export const crossdock = async (folder: string, seeded: number): Promise<Contender> => {
  const database = `sqlite:${join(folder, "crossdock.db")}`
  const environment = { DATABASE_URL: database, SANDBOX: "1", LOG_LEVEL: "warn" }
  if (seeded > 0) {
    await (await HostProcess.start(environment)).stop()
    await seedShipments(join(folder, "crossdock.db"), seeded)
  }
  const host = await HostProcess.start(environment)
  return {
    name: "crossdock",
    seller: await Api.seller(host.url),
    marketplace: await Api.marketplace(host.url),
    stop: host.stop
  }
}

const program = fileURLToPath(new URL("./handwritten.js", import.meta.url))

export const handwritten = (
  name: "least" | "same",
  folder: string,
  seeded: number,
  skus: ReadonlyArray<string>
): Promise<Contender> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, name, join(folder, `${name}.db`), String(seeded)], {
      stdio: ["ignore", "pipe", "inherit"]
    })
    const stopped = new Promise((ended) => child.once("exit", ended))
    child.once("error", reject)
    let output = ""
    child.stdout.on("data", async (chunk) => {
      output += chunk
      const url = /^listening on (\S+)$/m.exec(output)?.[1]
      if (url === undefined) return
      const anonymous = Api.make(url)
      const { body } = await anonymous.call<{ readonly token: string }>("POST", "/seed/sizes", skus)
      anonymous.close()
      const api = Api.make(url, body.token)
      resolve({
        name,
        seller: api,
        marketplace: api,
        stop: () => {
          api.close()
          child.kill("SIGTERM")
          return stopped
        }
      })
    })
  })
