/** The page and the sign-in of the console. Source: docs/internals/decisions/access.md#operators. */
import { Access, Directory, operatorSeconds } from "@crossdock/access"
import { CompanyWrite } from "@crossdock/audit"
import * as Http from "@crossdock/http"
import { CompanyId } from "@crossdock/kernel"
import { Lifecycle } from "@crossdock/shipments"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import files from "./files.json" with { type: "json" }

/** The host's choices for its console. */
export interface Options {
  /** Accounts that the sign-in offers, with passwords, for a sandbox that can't be reached from other machines. */
  readonly logins?: ReadonlyArray<Login>
  /** The address of the console, if it differs from the host's. */
  readonly url?: string
  /** The host's own lifecycle. The drawing and the buttons of a shipment show it. */
  readonly lifecycle?: Lifecycle.Table
}

const Credentials = Schema.Struct({ username: Schema.String, password: Schema.String })
const Company = Schema.Struct({ company_id: CompanyId })
const error = Http.failure(400, "Rejected")
const Tokens = Schema.Struct({ seller: Schema.String, platform: Schema.String, operator: Schema.String })

class ConsoleGroup extends HttpApiGroup.make("console").add(
  HttpApiEndpoint.get("page", "/console", { success: Schema.String }),
  HttpApiEndpoint.get("script", "/console/app.js", { success: Schema.String }),
  HttpApiEndpoint.get("style", "/console/app.css", { success: Schema.String }),
  HttpApiEndpoint.get("about", "/console/about", { success: Schema.Unknown, error }),
  HttpApiEndpoint.post("signIn", "/console/session", { payload: Credentials, success: Schema.Void, error }),
  HttpApiEndpoint.delete("signOut", "/console/session", { success: Schema.Void, error }),
  HttpApiEndpoint.post("tokens", "/console/tokens", { payload: Company, success: Tokens, error })
) {}

/** The page may use only its own files, and nothing inline. It can't be shown in a frame, and no text can become markup. */
const policy = [
  "default-src 'none'",
  ...["script-src", "style-src", "connect-src", "img-src"].map((source) => `${source} 'self'`),
  ...["base-uri", "form-action", "frame-ancestors"].map((source) => `${source} 'none'`),
  "require-trusted-types-for 'script'"
].join("; ")

const file = (text: string, contentType: string) =>
  HttpServerResponse.text(text, {
    contentType,
    headers: {
      "content-security-policy": policy,
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "cache-control": "no-cache"
    }
  })

const cookie = "crossdock_operator"

const movesOf = ({ rows, statuses }: Lifecycle.Table): ReadonlyArray<Move> =>
  statuses.flatMap((from) => {
    const { status = {}, ...operations } = rows[from] ?? {}
    const own = Object.entries(operations).map(([operation, { to, who }]) => {
      const { by, name } = Lifecycle.operations[operation as Lifecycle.Operation]
      return { from, to, operation, name, by: who === undefined ? by : [who] }
    })
    const reports = Object.entries(status).map(([to, { who }]) => {
      const by = who === undefined ? ["seller", "marketplace"] : [who]
      return { from, to, operation: "status", name: `status ${to}`, by }
    })
    return [...own, ...reports]
  })

const foreign = new Http.Failure({
  code: "FORBIDDEN",
  message: "Only the console's own page may ask for this. Open /console on this host."
})

/** Accepts only requests from the console's page. Other sites can set neither this header nor their Origin. */
const fromOwnPage = (publicHost: string) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers: { host, origin = "", ...headers } }) => {
    const from = URL.canParse(origin) ? new URL(origin).host : ""
    const isOwn = headers["x-crossdock-console"] !== undefined && (from === host || from === publicHost)
    return isOwn ? Effect.void : foreign.asEffect()
  })

const withBody = Effect.map(Http.readOnly, (body) => ({ json: body?.json ?? {} }))

/** Makes a console, for the option `console` of `Host.make` and `Routes.layer`. */
export const make = ({ lifecycle = Lifecycle.standard, logins = [], url }: Options = {}) => {
  const known = { logins, statuses: lifecycle.statuses, moves: movesOf(lifecycle) }
  const layer = Http.Endpoints.group(ConsoleGroup, function* (handlers) {
    const access = yield* Access.Access
    const directory = yield* Directory
    const { run } = yield* CompanyWrite.CompanyWrite
    const { publicUrl } = yield* Http.HttpPolicy
    const { host, pathname, protocol } = new URL(url ?? publicUrl)
    const ownPage = fromOwnPage(host)
    const attributes = `Path=${pathname.replace(/\/$/, "")}/console; HttpOnly; SameSite=Strict${protocol === "https:" ? "; Secure" : ""}`

    const token = Effect.map(HttpServerRequest.HttpServerRequest, ({ cookies }) => cookies[cookie] ?? "")
    const operator = Effect.flatMap(token, (cookie) => access.authenticate("session", cookie))
    const session = (token: string, seconds: number) =>
      HttpServerResponse.empty({
        status: 204,
        headers: { "set-cookie": `${cookie}=${token}; ${attributes}; Max-Age=${seconds}`, "cache-control": "no-store" }
      })

    /** Writes to the company's audit trail that the operator may now act for the company. */
    const opened = (name: string, companyId: CompanyId) =>
      Effect.flatMap(Http.RequestId, (requestId) =>
        run(
          { principal: { kind: "system", id: `operator:${name}` }, requestId },
          {
            load: Effect.void,
            decide: () => {
              const entity = { type: "operator", id: name, action: "open" }
              const saved = { logs: { request: { company_id: companyId }, response: null }, events: [] }
              return Effect.succeed({
                answer: undefined,
                changes: [{ companyId, entity, save: () => Effect.succeed(saved) }]
              })
            }
          }
        )
      )

    return handlers({
      page: () => Effect.succeed(file(files.page, "text/html; charset=utf-8")),
      script: () => Effect.succeed(file(files.script, "text/javascript; charset=utf-8")),
      style: () => Effect.succeed(file(files.style, "text/css; charset=utf-8")),
      about: () =>
        operator.pipe(
          Effect.map(({ id }): string | null => id),
          Effect.catchTag(["TokenInvalid", "TokenExpired"], () => Effect.succeed(null)),
          Effect.map((operator): About => ({ ...known, operator }))
        ),
      signIn: Effect.fnUntraced(function* ({ payload }) {
        yield* ownPage
        const credentials = yield* payload(yield* withBody)
        const signedIn = yield* access.signIn({ kind: "session", ...credentials, peer: yield* Http.peerAddress })
        return session(signedIn.token, operatorSeconds)
      }),
      signOut: Effect.fnUntraced(function* () {
        yield* ownPage
        yield* access.signOut(yield* token)
        return session("", 0)
      }),
      tokens: Effect.fnUntraced(function* ({ payload }) {
        yield* ownPage
        const { id } = yield* operator
        const { company_id } = yield* payload(yield* withBody)
        const companyId = CompanyId.make(company_id)
        const company = yield* directory.company(companyId)
        if (company === undefined || company.closedAt !== undefined)
          return yield* new Http.Failure({
            code: "NOT_FOUND",
            message: `There is no open company ${company_id}. crossdock company list shows all.`
          })
        const tokens = yield* access.actFor(yield* token, companyId, Http.PlatformScopes.allScopes)
        yield* opened(id, companyId)
        return tokens
      })
    })
  })
  return { api: { groups: { console: ConsoleGroup } }, layer }
}

/** A move of a lifecycle. `operation` is a key of `Lifecycle.operations` or "status". `by` is empty if the host moves. */
export interface Move {
  readonly from: string
  readonly to: string
  readonly operation: string
  readonly name: string
  readonly by: ReadonlyArray<string>
}

/** An account of a sandbox. */
export interface Login {
  readonly kind: "integration" | "marketplace" | "platform_client" | "operator"
  readonly username: string
  readonly password: string
  readonly companyId?: number
  readonly company?: string
}

/** What the page needs to know. `operator` is signed in. `logins` are the accounts of a sandbox, and otherwise empty. */
export interface About {
  readonly logins: ReadonlyArray<Login>
  readonly operator: string | null
  readonly statuses: ReadonlyArray<string>
  readonly moves: ReadonlyArray<Move>
}
