import { once } from "node:events"
import { type AddressInfo, connect, createServer } from "node:net"
import { describe, it } from "@effect/vitest"
import { assertMatch, assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import * as HostProcess from "../src/HostProcess.ts"

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, "close")
  return port
}

/** The host's complete answer to these bytes, on their own connection. */
const exchange = (port: number, bytes: string): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1")
    let text = ""
    socket.on("data", (chunk) => {
      text += chunk
    })
    socket.on("error", () => {})
    socket.on("close", () => resolve(text))
    socket.write(bytes)
  })

const hostWith = async (more: Readonly<Record<string, string>> = {}) => {
  const port = await freePort()
  const host = await HostProcess.start({ DATABASE_URL: "memory:", SANDBOX: "0", ADMIN_PORT: String(port), ...more })
  return { host, port }
}

describe("ADMIN_PORT", () => {
  it("has documents that name the address of the interfaces, and not its own", async () => {
    const { host, port } = await hostWith()
    try {
      for (const name of ["seller", "marketplace", "platform"]) {
        const document: { servers: ReadonlyArray<{ url: string }> } = await fetch(
          `http://127.0.0.1:${port}/openapi/${name}.json`
        ).then((answer) => answer.json())
        deepStrictEqual([name, document.servers[0]?.url], [name, host.url])
      }
    } finally {
      await host.stop()
    }
  })

  it("has metrics and documents alone, and the main port has none of them", async () => {
    const { host, port } = await hostWith()
    try {
      const statusAt = async (url: string, path: string, method = "GET") => (await fetch(url + path, { method })).status
      const admin = `http://127.0.0.1:${port}`
      for (const path of ["/metrics", "/docs", "/docs/seller", "/docs/errors", "/openapi/seller.json"])
        deepStrictEqual([path, await statusAt(admin, path), await statusAt(host.url, path)], [path, 200, 404])
      for (const [method, path] of [
        ["POST", "/aggregator/v1/token"],
        ["GET", "/ims/v3/listings"],
        ["POST", "/order/api/v1/bazaar/create"],
        ["GET", "/health/ready"]
      ] as const) {
        deepStrictEqual([path, await statusAt(admin, path, method)], [path, 404])
        assertTrue((await statusAt(host.url, path, method)) !== 404, path)
      }
    } finally {
      await host.stop()
    }
  })

  it("has the console alone, with the interfaces that its page calls", async () => {
    const { host, port } = await hostWith({ CONSOLE: "1" })
    try {
      const admin = `http://127.0.0.1:${port}`
      for (const path of ["/console", "/console/app.js", "/console/about", "/metrics"])
        deepStrictEqual(
          [path, (await fetch(admin + path)).status, (await fetch(host.url + path)).status],
          [path, 200, 404]
        )
      for (const url of [admin, host.url]) strictEqual((await fetch(`${url}/ims/v3/listings`)).status, 401)
      const headers = { origin: admin, "x-crossdock-console": "1", "content-type": "application/json" }
      const body = JSON.stringify({ username: "nobody", password: "wrong" })
      strictEqual((await fetch(`${admin}/console/session`, { method: "POST", headers, body })).status, 401)
    } finally {
      await host.stop()
    }
  })

  it("rejects broken HTTP with the bodies of the main port", async () => {
    const { host, port } = await hostWith()
    try {
      const main = Number(new URL(host.url).port)
      const broken = [
        "GET /metrics HTTP/1.1\r\nConnection: close\r\n\r\n",
        "nonsense\r\n\r\n",
        `GET /metrics HTTP/1.1\r\nHost: x\r\nX: ${"x".repeat(40_000)}\r\n\r\n`,
        "CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n"
      ]
      const answers = (of: number) => Promise.all(broken.map((bytes) => exchange(of, bytes)))
      const withoutIds = (text: string) => text.replace(/[0-9a-f-]{36}|^Date: .*$/gim, "ID")
      const [here, there] = [await answers(port), await answers(main)]
      deepStrictEqual(here.map(withoutIds), there.map(withoutIds))
      for (const text of here) assertMatch(text, /"code":"[A-Z_]+"/)
    } finally {
      await host.stop()
    }
  })

  it("closes connections beyond the limit of an address", async () => {
    const { host, port } = await hostWith({ ADDRESS_CONNECTIONS: "2" })
    try {
      const silent = await Promise.all(
        [1, 2].map(async () => {
          const socket = connect(port, "127.0.0.1")
          await once(socket, "connect")
          return socket
        })
      )
      strictEqual(await exchange(port, "GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"), "")
      for (const socket of silent) socket.destroy()
    } finally {
      await host.stop()
    }
  })

  it("ends silent connections when the host stops", async () => {
    const { host, port } = await hostWith()
    const silent = connect(port, "127.0.0.1")
    let received = ""
    silent.on("data", (chunk) => {
      received += chunk
    })
    await once(silent, "connect")
    strictEqual(await host.stop(), 0)
    // A host that waited for a request would have answered 408 first.
    strictEqual(received, "")
  })
})
