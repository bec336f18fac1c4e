/** `npm run lab -- kill 100 --database postgres --hosts 3` kills hosts during bulk writes of stock. `--help` says more. */
import "@crossdock/cli/NodeVersion"
import { Effect } from "effect"
import * as Api from "./Api.ts"
import * as Cluster from "./Cluster.ts"
import * as CommandLine from "./CommandLine.ts"
import * as Sample from "./demo/Sample.ts"
import type * as Verdict from "./Verdict.ts"

const options = {
  kills: CommandLine.count("kills", 100, "times that a host is killed"),
  database: CommandLine.distributable,
  hosts: CommandLine.hosts(1)
}

const locations = ["BLR1", "BOM1"]

interface Sent {
  /** The number that was sent last, and the number that was acknowledged last. */
  sent: number
  acknowledged: number
}

/** Writes to one location until its host dies or `isOver` returns true. Any answer other than 200 is a fault. */
const write = async (
  api: Api.Api,
  [location, state]: readonly [string, Sent],
  skus: ReadonlyArray<string>,
  isOver: () => boolean
): Promise<ReadonlyArray<string>> => {
  while (!isOver()) {
    const quantity = ++state.sent
    const records = skus.map((sku) => ({ location_id: location, sku, quantity }))
    const answer = await api
      .call<{ readonly data: { readonly failed_count: number } }>("PUT", "/ims/v3/inventory", records)
      .catch((error: unknown) => {
        if (Api.isLostConnection(error)) return undefined
        throw error
      })
    if (answer === undefined) return []
    if (answer.status !== 200) return [`PUT /ims/v3/inventory answered ${answer.status} ${JSON.stringify(answer.body)}`]
    const failed = answer.body.data.failed_count
    if (failed > 0) return [`${failed} records of ${location} were rejected`]
    state.acknowledged = quantity
  }
  return []
}

const quantities = async (api: Api.Api, location: string): Promise<ReadonlySet<number>> => {
  const found: Array<number> = []
  for (let page = 1; ; page++) {
    const { body } = await api.call<{
      readonly data: ReadonlyArray<{ readonly location_id: string; readonly quantity: number }>
    }>("GET", `/ims/v3/listings?page_size=500&page_no=${page}`)
    found.push(...body.data.filter((row) => row.location_id === location).map((row) => row.quantity))
    if (body.data.length < 500) return new Set(found)
  }
}

/** Compares the stock of a location with the sent and acknowledged numbers. */
const check = async (api: Api.Api, [location, state]: readonly [string, Sent]): Promise<ReadonlyArray<string>> => {
  const found = [...(await quantities(api, location))]
  const highest = Math.max(0, ...found)
  return [
    ...(found.length > 1 ? [`a request was half applied: ${location} has ${found.join(", ")}`] : []),
    ...(highest < state.acknowledged ? [`${location} has ${highest}, but ${state.acknowledged} was acknowledged`] : []),
    ...(highest > state.sent ? [`${location} has ${highest}, which was never sent`] : [])
  ]
}

const kill = async (cluster: Cluster.Cluster, kills: number): Promise<Pick<Verdict.Verdict, "faults" | "figures">> => {
  const skus = (await Sample.products()).slice(0, 500).map(({ sku }) => sku)
  const states = new Map(locations.map((location) => [location, { sent: 0, acknowledged: 0 }]))
  const faults: Array<string> = []
  for (let nth = 0; nth <= kills; nth++) {
    const apis = await Promise.all(cluster.hosts.map(({ url }) => Api.seller(url)))
    const at = (index: number) => apis[index % apis.length] as Api.Api
    for (const state of states) faults.push(...(await check(at(nth), state)))
    if (nth < kills) {
      let isOver = false
      const writers = [...states].map((state, index) => write(at(nth + index), state, skus, () => isOver))
      await new Promise((resolve) => setTimeout(resolve, 40 + Math.random() * 160))
      await cluster.replace(nth % apis.length)
      isOver = true
      faults.push(...(await Promise.all(writers)).flat())
      if ((nth + 1) % 10 === 0) process.stderr.write(`${nth + 1} kills\n`)
    }
    for (const api of apis) api.close()
  }
  const acknowledged = [...states.values()].reduce((sum, state) => sum + state.acknowledged, 0)
  if (acknowledged === 0) faults.push("no request was acknowledged")
  return { figures: { kills, hosts: cluster.hosts.length, "requests acknowledged": acknowledged }, faults }
}

CommandLine.main({
  name: "kill",
  does:
    "Kills a host with SIGKILL during bulk stock writes, many times, each host in turn. Each request sets every SKU of a " +
    "location to one number, higher than that of the request before. When it passes, after each restart all SKUs of a " +
    "location have the same number (nothing is half applied), at least the last acknowledged one (nothing is lost).",
  options,
  run: ({ database, hosts, kills }) =>
    Effect.gen(function* () {
      const cluster = yield* Cluster.make(database, hosts)
      const { faults, figures } = yield* Effect.promise(() => kill(cluster, kills))
      return {
        claim: "no acknowledged write was lost, and none was half applied",
        figures: { ...figures, database },
        faults
      }
    })
})
