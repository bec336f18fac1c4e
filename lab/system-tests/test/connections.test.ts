import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import * as HostProcess from "../src/HostProcess.ts"

/** A request's status on its own connection; "closed" if the host closes it without an answer. */
const status = (port: number): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1")
    let text = ""
    socket.on("data", (chunk) => {
      text += chunk
    })
    socket.on("error", () => {})
    socket.on("close", () => resolve(text === "" ? "closed" : (text.split(" ")[1] ?? "")))
    socket.write("GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
  })

const opened = async (port: number): Promise<Socket> => {
  const socket = connect(port, "127.0.0.1")
  await once(socket, "connect")
  return socket
}

describe("A host with at most five connections", () => {
  for (const [how, setting] of [
    ["in all", { MAX_CONNECTIONS: "5" }],
    ["of one address", { ADDRESS_CONNECTIONS: "5" }]
  ] as const) {
    it(`${how} closes the sixth at once, and takes another when one has ended`, async () => {
      const host = await HostProcess.start({ DATABASE_URL: "memory:", SANDBOX: "0", ...setting })
      try {
        const port = Number(new URL(host.url).port)
        const silent = await Promise.all(Array.from({ length: 5 }, () => opened(port)))
        deepStrictEqual(await Promise.all([status(port), status(port)]), ["closed", "closed"])
        for (const socket of silent) socket.destroy()
        await Promise.all(silent.map((socket) => socket.closed || once(socket, "close")))
        // The host notices a connection's end a little after its caller.
        let next = await status(port)
        for (let tries = 0; next === "closed" && tries < 1_000; tries++) next = await status(port)
        strictEqual(next, "200")
      } finally {
        await host.stop()
      }
    })
  }

  it("behind a proxy counts none of its address, which all callers share", async () => {
    const host = await HostProcess.start({
      DATABASE_URL: "memory:",
      SANDBOX: "0",
      TRUST_PROXY: "1",
      ADDRESS_CONNECTIONS: "1"
    })
    try {
      const port = Number(new URL(host.url).port)
      const silent = await opened(port)
      strictEqual(await status(port), "200")
      silent.destroy()
    } finally {
      await host.stop()
    }
  })
})
