import { createServer, request as send } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { text } from "node:stream/consumers"
import { Edge, HealthApi } from "@crossdock/http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Layer, Logger } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import * as Body from "../src/internal/Body.ts"
import { responseOf } from "../src/internal/Endpoints.ts"

const path = "/echo"

/** A server with one route, which answers the JSON that it received, and what happened on it, in order. */
const served = Effect.gen(function* () {
  const happened: Array<string> = []
  const server = createServer()
  server.on("request", (_, response) => response.once("prefinish", () => happened.push("answer")))
  const echo = HttpServerRequest.HttpServerRequest.pipe(
    Effect.flatMap((request) => Body.read(request, 100)),
    Effect.map((body) => HttpServerResponse.jsonUnsafe(body?.json ?? null)),
    Effect.catch(responseOf),
    Effect.ensuring(Effect.sync(() => happened.push("read")))
  )
  const routes = Layer.merge(
    HttpRouter.add("POST", path, echo),
    Edge.layer([HealthApi, { groups: { echo: { endpoints: { echo: { method: "POST", path } } } } }])
  )
  const line = Logger.make<unknown, void>(({ message }) => {
    happened.push(String(message).replace(/ \d+ ms$/, ""))
  })
  const listening = HttpRouter.serve(routes, { disableLogger: true, disableListenLog: true }).pipe(
    Layer.provide(NodeHttpServer.layer(() => server, { port: 0, host: "127.0.0.1" })),
    Layer.provide(Logger.layer([line]))
  )
  yield* Layer.build(listening)
  return { happened, port: (server.address() as AddressInfo).port }
})

const post = (port: number, pieces: ReadonlyArray<Uint8Array>, headers: Record<string, string> = {}) =>
  Effect.promise(
    () =>
      new Promise<string>((resolve, reject) => {
        const sent = send(
          {
            host: "127.0.0.1",
            port,
            method: "POST",
            path,
            headers: { "content-type": "application/json", ...headers }
          },
          (answer) => text(answer).then((body) => resolve(`${answer.statusCode} ${body}`), reject)
        )
        sent.on("error", reject)
        sent.setNoDelay()
        const next = (at: number) => {
          const piece = pieces[at]
          if (piece === undefined) return sent.end()
          sent.write(piece)
          setTimeout(() => next(at + 1), 20)
        }
        next(0)
      })
  )

const bytes = (text: string) => new TextEncoder().encode(text)

const until = (isDone: () => boolean): Effect.Effect<void> =>
  Effect.suspend(() => (isDone() ? Effect.void : Effect.andThen(Effect.sleep("5 millis"), until(isDone))))

describe("A request on Node's server", () => {
  it.live("is counted and logged after its answer was sent", () =>
    Effect.gen(function* () {
      const { happened, port } = yield* served
      strictEqual(yield* post(port, [bytes("[1]")]), "200 [1]")
      deepStrictEqual(happened, ["read", "answer", `POST ${path} 200`])
    }).pipe(Effect.scoped)
  )

  it.live("has a body that arrives in pieces, cut within a character", () =>
    Effect.gen(function* () {
      const { port } = yield* served
      const whole = bytes('["größer"]')
      const cut = whole.indexOf(0xc3) + 1
      strictEqual(yield* post(port, [whole.slice(0, cut), whole.slice(cut)]), '200 ["größer"]')
    }).pipe(Effect.scoped)
  )

  it.live("sends its body when it waits for 100 Continue", () =>
    Effect.gen(function* () {
      const { port } = yield* served
      const continued = new Promise<string>((resolve, reject) => {
        const headers = { expect: "100-continue", "content-type": "application/json", "content-length": "3" }
        const sent = send({ host: "127.0.0.1", port, method: "POST", path, headers }, (answer) =>
          text(answer).then(resolve, reject)
        )
        sent.on("continue", () => sent.end("[2]"))
        sent.on("error", reject)
        sent.flushHeaders()
      })
      strictEqual(yield* Effect.promise(() => continued), "[2]")
    }).pipe(Effect.scoped)
  )

  it.live("is rejected as soon as its body exceeds the limit", () =>
    Effect.gen(function* () {
      const { port } = yield* served
      const endless = Array.from({ length: 20 }, () => bytes(" ".repeat(30)))
      strictEqual((yield* post(port, endless)).slice(0, 3), "413")
    }).pipe(Effect.scoped)
  )

  it.live("ends when its caller goes away in the middle of its body", () =>
    Effect.gen(function* () {
      const { happened, port } = yield* served
      const socket = connect(port, "127.0.0.1")
      socket.write(
        `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 50\r\n\r\n[1,`
      )
      yield* Effect.sleep("50 millis")
      deepStrictEqual(happened, [])
      socket.destroy()
      yield* until(() => happened.includes("read"))
    }).pipe(Effect.scoped)
  )
})
