/** Crossdock's host with the sandbox on SQLite, with `seeded` shipments. It returns the findings of `ProfiledHost`. */
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Api from "@crossdock/system-tests/Api"
import * as HostProcess from "@crossdock/system-tests/HostProcess"
import type { Contender } from "./Contender.ts"
import type { Scenario } from "./Scenarios.ts"
import { seedShipments } from "./seed.ts"

export interface ProfiledContender {
  readonly contender: Contender
  readonly ask: <A>(message: string) => Promise<A>
}

export const start = async (seeded = 0): Promise<ProfiledContender> => {
  const folder = await mkdtemp(join(tmpdir(), "crossdock-profile-"))
  const database = join(folder, "crossdock.db")
  const environment = { DATABASE_URL: `sqlite:${database}`, SANDBOX: "1", LOG_LEVEL: "warn" }
  if (seeded > 0) {
    await (await HostProcess.start(environment)).stop()
    await seedShipments(database, seeded)
  }
  const NODE_OPTIONS = `--import ${new URL("../dist/ProfiledHost.js", import.meta.url).href}`
  const host = await HostProcess.start({ ...environment, NODE_OPTIONS }, HostProcess.modules)
  const stop = async () => {
    await host.stop()
    await rm(folder, { recursive: true })
  }
  return {
    contender: {
      name: "crossdock",
      seller: await Api.seller(host.url),
      marketplace: await Api.marketplace(host.url),
      stop
    },
    ask: async (message) => {
      host.child.send(message)
      const [answer] = await once(host.child, "message")
      return answer
    }
  }
}

/** The number of covered requests. Background work runs during some of them only. */
const requestsCovered = 12

/** The files of our packages that every request of a scenario enters, from the socket to the disk. */
export const filesEntered = async (
  { ask, contender }: ProfiledContender,
  { prepare }: Scenario
): Promise<ReadonlyArray<string>> => {
  const request = await prepare(contender, requestsCovered + 1)
  await request(0)
  let entered: ReadonlyArray<string> | undefined
  for (let nth = 1; nth <= requestsCovered; nth++) {
    await ask("cover")
    await request(nth)
    const { files } = await ask<{ readonly files: ReadonlyArray<string> }>("covered")
    entered = entered?.filter((file) => files.includes(file)) ?? files
  }
  return (entered ?? []).filter((file) => file !== "kernel/BackgroundLoop").toSorted()
}
