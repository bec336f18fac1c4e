/** `npm run lab -- rolling --proxy nginx` restarts two hosts in turn behind a proxy, under a steady load of writes. */
import "@crossdock/cli/NodeVersion"
import { spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { chmod, mkdtemp, rm } from "node:fs/promises"
import { type AddressInfo, createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as PostgresServer from "@crossdock/postgres/PostgresServer"
import { Effect } from "effect"
import * as Api from "./Api.ts"
import * as CommandLine from "./CommandLine.ts"
import * as HostProcess from "./HostProcess.ts"
import * as ShippedProxy from "./ShippedProxy.ts"

const options = {
  writes: CommandLine.count("writes", 10_000, "writes to send"),
  proxy: CommandLine.choice("proxy", ["nginx", "caddy", "haproxy"], "nginx", "the proxy, which must be installed"),
  rate: CommandLine.whole("rate", 100, "writes per second"),
  rounds: CommandLine.whole("rounds", 3, "times that every host is restarted"),
  drain: CommandLine.wholeOrNone("drain", 5, "DRAIN_SECONDS of the hosts")
}

const pause = (millis: number) => new Promise<void>((resolve) => setTimeout(resolve, millis))

const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })

const ready = async (url: string) => {
  for (const end = Date.now() + 60_000; Date.now() < end; await pause(50)) {
    const answer = await fetch(url).catch(() => undefined)
    if (answer?.status === 200) return
  }
  throw new Error(`${url} is not ready`)
}

const folderOf = Effect.acquireRelease(
  Effect.promise(async () => {
    const folder = await mkdtemp(join(tmpdir(), "crossdock-rolling-"))
    await chmod(folder, 0o755)
    return folder
  }),
  (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }))
)

const server = Effect.acquireRelease(
  Effect.promise(() => PostgresServer.start({ survivesCrash: true })),
  ({ stop }) => Effect.promise(stop)
)

const running = ({ args, command, environment }: ShippedProxy.Proxy) =>
  Effect.acquireRelease(
    Effect.sync(() => spawn(command, [...args], { env: { PATH: process.env.PATH, ...environment }, stdio: "ignore" })),
    (child) => Effect.sync(() => child.kill())
  )

/** Sends writes at a rate, each when it is due. Returns the writes that failed. */
const load = async (api: Api.Api, writes: number, rate: number): Promise<ReadonlyArray<string>> => {
  const began = performance.now()
  const write = async (nth: number) => {
    await pause(Math.max(0, began + (nth * 1_000) / rate - performance.now()))
    const records = [{ location_id: "BLR1", sku: "85123A", quantity: nth }]
    const answer = await api
      .call("PUT", "/ims/v3/inventory", records, { "idempotency-key": randomUUID() })
      .catch((error: unknown) => ({ status: String(error), body: undefined }))
    return answer.status === 200 ? [] : [`write ${nth}: ${answer.status} ${JSON.stringify(answer.body) ?? ""}`]
  }
  return (await Promise.all(Array.from({ length: writes }, (_, nth) => write(nth)))).flat()
}

CommandLine.main({
  name: "rolling",
  does:
    "Starts two hosts on one PostgreSQL behind a proxy as operations configures it, and restarts them one after the other while " +
    "a client writes stock at a steady rate. When it passes, every write was answered with 200.",
  options,
  run: ({ drain, proxy, rate, rounds, writes }) =>
    Effect.gen(function* () {
      const program = ShippedProxy.programOf(proxy)
      if (program === undefined) return yield* Effect.fail(new Error(`${proxy} is not installed here`))
      const folder = yield* folderOf
      const { url: databaseUrl } = yield* server
      const [first, second, port] = yield* Effect.promise(() => Promise.all([freePort(), freePort(), freePort()]))
      const hosts: Array<HostProcess.HostProcess> = []
      const ports = [first, second]
      const begin = async (nth: number) => {
        const settings = { SANDBOX: "1", LOG_LEVEL: "none", TRUST_PROXY: "1", DRAIN_SECONDS: String(drain) }
        hosts[nth] = await HostProcess.start({ DATABASE_URL: databaseUrl, PORT: String(ports[nth]), ...settings })
      }
      yield* Effect.acquireRelease(
        Effect.promise(() => Promise.all(ports.map((_, nth) => begin(nth)))),
        () => Effect.promise(() => Promise.all(hosts.map((host) => host.kill())))
      )
      const addresses = ports.map((one) => `127.0.0.1:${one}`)
      yield* running(ShippedProxy.proxies[proxy]({ program, folder, port, hosts: addresses }))
      const url = `http://127.0.0.1:${port}`
      const found = yield* Effect.promise(async () => {
        await ready(`${url}/health/ready`)
        const api = await Api.seller(url)
        const loading = load(api, writes, rate)
        let restarts = 0
        for (let round = 0; round < rounds; round++)
          for (const nth of ports.keys()) {
            await pause(2_000)
            await hosts[nth]?.stop()
            await begin(nth)
            await ready(`http://${addresses[nth]}/health/ready`)
            restarts++
          }
        const afterRestarts = performance.now()
        const failed = await loading
        api.close()
        return { failed, restarts, isCovered: performance.now() > afterRestarts + 100 }
      })
      return {
        claim: "every write was answered with 200 while the hosts were restarted",
        figures: { proxy, writes, failed: found.failed.length, restarts: found.restarts, DRAIN_SECONDS: drain },
        faults: [
          ...found.failed.slice(0, 20),
          ...(found.isCovered ? [] : ["the writes ended before the last restart: send more"])
        ]
      }
    })
})
