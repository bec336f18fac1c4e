/** The operator interface: every operation, who may call it, its rejections, and what it records. */
import { randomBytes } from "node:crypto"
import { CompanyWrite } from "@crossdock/audit"
import { type Host, Findings, orThrow } from "@crossdock/host"
import { CompanyId } from "@crossdock/kernel"
import { NotificationStore } from "@crossdock/notifications"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Layer, Logger } from "effect"
import * as DocumentedAnswers from "../../http/test/DocumentedAnswers.ts"
import { bazaar, orderOf, start } from "./Shop.ts"

const password = "correct horse battery"
const base = "/operator/v1"
const secret = `whsec_${randomBytes(24).toString("base64")}`

type Body = Readonly<Record<string, any>>
type Sent = { readonly status: number; readonly body: Body; readonly headers: Headers }

const found = [{ check: "clock", state: "ok", says: "right", todo: null }] as const

const hostOf = async (more: Partial<Host.Options> = {}) => {
  const lines: Array<unknown> = []
  const logger = Logger.make(({ fiber, message }) => {
    lines.push(message, JSON.stringify([...Object.entries(fiber.getRef(LogAnnotations))]))
  })
  const { host } = await start({
    signIn: {},
    interfaces: ["seller", "marketplace", "platform", "operator"],
    policies: Layer.succeed(Findings, Effect.succeed(found)),
    observability: Logger.layer([logger]),
    ...more
  })
  await orThrow(host.services.accounts.putOperator("asha", { password }))
  const send = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const type: Record<string, string> = body === undefined ? {} : { "content-type": "application/json" }
    const answer = await host.handler(
      new Request(`https://shop.example${path}`, {
        method,
        headers: { ...type, ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
    )
    const text = await answer.text()
    const given = { status: answer.status, headers: Object.fromEntries(answer.headers), text }
    deepStrictEqual(DocumentedAnswers.faults(method, path, given), [])
    assertTrue(!text.includes(password) && !text.includes(secret), `${method} ${path} answers with a secret`)
    return { status: answer.status, body: JSON.parse(text), headers: answer.headers } as Sent
  }
  const { body } = await send("POST", `${base}/token`, { username: "asha", password })
  const authorization = `Bearer ${body.access_token}`
  const as = (method: string, path: string, sent?: unknown, headers: Record<string, string> = {}) =>
    send(method, `${base}${path}`, sent, { authorization, ...headers })
  const done = async (method: string, path: string, sent?: unknown, headers: Record<string, string> = {}) => {
    const answer = await as(method, path, sent, headers)
    strictEqual(answer.status, 200, `${method} ${path}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  return { host, send, as, done, lines, authorization, token: body.access_token as string }
}
