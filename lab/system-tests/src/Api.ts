/** A small HTTP client of the interfaces. It keeps connections open. */
import { Agent, request } from "node:http"
import * as Abort from "./Abort.ts"

export interface Answer<A> {
  readonly status: number
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly body: A
}

export interface Api {
  readonly call: <A>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
    abort?: Abort.Abort
  ) => Promise<Answer<A>>
  readonly close: () => void
}

const noHeaders: Readonly<Record<string, string>> = {}

/** A client that sends the headers `own` with every request. */
export const withHeaders = (url: string, own: Readonly<Record<string, string>> = noHeaders): Api => {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const { hostname, port } = new URL(url)
  const call = <A>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
    abort?: Abort.Abort
  ) =>
    new Promise<Answer<A>>((resolve, reject) => {
      const text = body === undefined ? undefined : JSON.stringify(body)
      const sent = request(
        {
          agent,
          hostname,
          port,
          method,
          path,
          headers: {
            ...own,
            ...(text === undefined
              ? {}
              : { "content-type": "application/json", "content-length": String(Buffer.byteLength(text)) }),
            ...headers
          }
        },
        (answer) => {
          let read = ""
          answer.setEncoding("utf8")
          answer.on("data", (chunk) => {
            read += chunk
          })
          answer.on("end", () => {
            try {
              const body = (read === "" ? undefined : JSON.parse(read)) as A
              resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body })
            } catch {
              reject(new Error(`${method} ${path} answered ${answer.statusCode} with a body that is not JSON`))
            }
          })
          answer.on("error", reject)
        }
      )
      sent.on("error", reject)
      Abort.send(sent, text, abort)
    })
  return { call, close: () => agent.destroy() }
}

/** A client that sends `token` with every request. */
export const make = (url: string, token?: string): Api =>
  withHeaders(url, token === undefined ? {} : { "x-access-token": token })

/** A client that is signed in. */
export const signedIn = async (url: string, path: string, username: string, password: string): Promise<Api> => {
  const anonymous = make(url)
  const answer = await anonymous.call<{ readonly access_token: string }>("POST", path, { username, password })
  anonymous.close()
  if (answer.status !== 200) throw new Error(`Sign-in of ${username} answered ${answer.status}`)
  return make(url, answer.body.access_token)
}

/** Signs in with the credentials of the sandbox. */
export const seller = (url: string, username = "acme") =>
  signedIn(url, "/aggregator/v1/token", username, `${username}-secret`)
export const marketplace = (url: string, slug = "bazaar") =>
  signedIn(url, `/auth/${slug}/token`, slug, `${slug}-secret`)

export const platform = async (url: string, client = "ops", company = 1): Promise<Api> => {
  const basic = Buffer.from(`${client}:${client}-secret`).toString("base64")
  const anonymous = withHeaders(url, { authorization: `Basic ${basic}` })
  const path = `/service/panel/authentication/v1.0/company/${company}/oauth/token`
  const answer = await anonymous.call<{ readonly access_token: string }>("POST", path, {
    grant_type: "client_credentials"
  })
  anonymous.close()
  if (answer.status !== 200) throw new Error(`Sign-in of ${client} answered ${answer.status}`)
  return withHeaders(url, { authorization: `Bearer ${answer.body.access_token}` })
}

/** Whether a request failed because its host ended. The outcome of the request is then unknown. */
export const isLostConnection = (error: unknown): boolean =>
  error instanceof Error && "code" in error && ["ECONNRESET", "ECONNREFUSED", "EPIPE"].includes(String(error.code))
