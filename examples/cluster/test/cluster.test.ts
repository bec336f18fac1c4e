import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as Balancer from "@crossdock/example-cluster/Balancer"
import * as ClusterDemo from "@crossdock/example-cluster/ClusterDemo"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect } from "effect"

describe("Three hosts behind a balancer", () => {
  it("oversell nothing and lose nothing acknowledged while hosts and sessions are killed, and each webhook key has one sender", async () => {
    const options = { hosts: 3, marketplaces: 2, atOnce: 4, seconds: 5, seed: 3, disturbEvery: 1_000, crash: false }
    const { counts, died, faults, operations, webhooks } = await Effect.runPromise(ClusterDemo.run(options))
    deepStrictEqual(faults, [])
    assertTrue(died.hosts > 0 && died.sessions > 0, JSON.stringify(died))
    assertTrue(counts.orders > 0 && webhooks.events > 0)
    strictEqual(counts.delivered + counts.cancelled, counts.orders)
    assertTrue(operations.every(({ count, longest, p50, p99 }) => count > 0 && p50 <= p99 && p99 <= longest))
  })
})

/** A host that is ready or not. It answers with its name, or ends the connection instead. */
const host = (name: string) => {
  const state = { ready: true, dies: false, checks: 0 }
  const server = createServer((request, response) => {
    if (request.url === "/health/ready") {
      state.checks++
      response.writeHead(state.ready ? 200 : 503).end()
    } else if (state.dies) request.socket.destroy()
    else response.end(`${name} ${request.method} ${request.headers["x-forwarded-for"]}`)
  })
  return new Promise<{ readonly url: string; readonly state: typeof state; readonly close: () => void }>((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const close = () => {
        server.closeAllConnections()
        server.close()
      }
      resolve({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, state, close })
    })
  })
}

describe("The balancer", () => {
  it("takes hosts in turn, leaves out those that aren't ready, and answers 502 for a host that died and 503 without any", async () => {
    const [one, two] = [await host("one"), await host("two")]
    const balancer = await Balancer.start(() => [one.url, two.url])
    const ask = async (method = "GET") => {
      const answer = await fetch(balancer.url, { method })
      return answer.ok ? answer.text() : answer.status
    }
    const texts = [await ask(), await ask("POST"), await ask("PUT")]
    deepStrictEqual(texts, ["one GET 127.0.0.1", "two POST 127.0.0.1", "one PUT 127.0.0.1"])
    // The host gets the request once, because the balancer never sends a request again.
    two.state.dies = true
    strictEqual(await ask(), 502)
    two.state.ready = false
    // The second check begins after the first one has ended.
    const known = two.state.checks + 2
    while (two.state.checks < known) await new Promise((resolve) => setTimeout(resolve, 20))
    deepStrictEqual([await ask(), await ask()], ["one GET 127.0.0.1", "one GET 127.0.0.1"])
    one.state.ready = false
    while ((await ask()) !== 503) await new Promise((resolve) => setTimeout(resolve, 20))
    one.state.ready = true
    while ((await ask()) === 503) await new Promise((resolve) => setTimeout(resolve, 20))
    for (const each of [balancer, one, two]) each.close()
  })
})
