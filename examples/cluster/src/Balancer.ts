/**
 * A small load balancer. It sends each request once, to the next host that is ready. If the host doesn't answer, the balancer
 * answers with 502. The caller then decides whether to repeat the request.
 */
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { pipeline } from "node:stream"

export interface Balancer {
  readonly url: string
  readonly close: () => void
}

/** The interval and the timeout of readiness checks, in milliseconds. */
const checkEvery = 200
const checkTimeout = 2_000

const isReady = (host: string): Promise<boolean> =>
  fetch(`${host}/health/ready`, { signal: AbortSignal.timeout(checkTimeout) }).then(
    (answer) => answer.arrayBuffer().then(() => answer.ok),
    () => false
  )

/** Removes the headers that are only for one connection. They must not be passed on. */
const withoutConnection = ({ connection: _, "keep-alive": __, ...headers }: IncomingMessage["headers"]) => headers

const fail = (response: ServerResponse, status: 502 | 503) => {
  if (response.headersSent) response.destroy()
  else response.writeHead(status, { "content-type": "text/plain", "retry-after": "0" }).end("no host answered\n")
}

/** Starts a balancer. For each request, `hosts` returns the URLs to choose from. */
export const start = (hosts: () => ReadonlyArray<string>): Promise<Balancer> => {
  const agent = new Agent({ keepAlive: true })
  const ready = new Set<string>()
  const checking = new Set<string>()
  let turn = 0

  const check = async (host: string) => {
    checking.add(host)
    if (await isReady(host)) ready.add(host)
    else ready.delete(host)
    checking.delete(host)
  }
  const checkAll = () => Promise.all(hosts().map((host) => (checking.has(host) ? undefined : check(host))))

  const forward = (incoming: IncomingMessage, response: ServerResponse, host: string) => {
    const headers = { ...withoutConnection(incoming.headers), "x-forwarded-for": incoming.socket.remoteAddress }
    const sent = request(new URL(incoming.url ?? "/", host), { agent, method: incoming.method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, withoutConnection(answer.headers))
      pipeline(answer, response, () => {})
    })
    sent.on("error", () => {
      ready.delete(host)
      fail(response, 502)
    })
    response.on("close", () => response.writableFinished || sent.destroy())
    incoming.pipe(sent)
  }

  const server = createServer((incoming, response) => {
    const able = hosts().filter((host) => ready.has(host))
    const host = able[turn++ % able.length]
    if (host === undefined) fail(response, 503)
    else forward(incoming, response, host)
  })
  const timer = setInterval(checkAll, checkEvery)
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", async () => {
      await checkAll()
      resolve({
        url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        close: () => {
          clearInterval(timer)
          agent.destroy()
          server.closeAllConnections()
          server.close()
        }
      })
    })
  })
}
