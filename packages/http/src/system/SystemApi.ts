/**
 * Contract: health, metrics and documents of a host.
 */
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { unavailable } from "../Failure.ts"
import { ErrorAnswers } from "../internal/ErrorAnswers.ts"
import * as Fields from "../internal/Fields.ts"

const Health = Schema.Struct({ status: Schema.String })

/**
 * Shows the state of background work, which never makes a host unready: the host still serves requests, and otherwise
 * every host on the same database would be taken out at once. Source: docs/reference/host.md#health.
 */
const Readiness = Schema.Struct({
  status: Schema.String,
  workers: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      state: Schema.Literals(["working", "failing", "stopped"]),
      since: Schema.String
    })
  )
})

export class SystemGroup extends HttpApiGroup.make("system")
  .add(HttpApiEndpoint.get("live", "/health/live", { success: Health }))
  .add(HttpApiEndpoint.get("ready", "/health/ready", { success: Readiness, error: [unavailable] }))
  .add(HttpApiEndpoint.get("metrics", "/metrics", { success: Schema.String }))
  .add(HttpApiEndpoint.get("sellerDocument", "/openapi/seller.json", { success: Fields.json }))
  .add(HttpApiEndpoint.get("marketplaceDocument", "/openapi/marketplace.json", { success: Fields.json }))
  .add(HttpApiEndpoint.get("platformDocument", "/openapi/platform.json", { success: Fields.json }))
  .add(HttpApiEndpoint.get("docs", "/docs", { success: Schema.String })) {}

export class SystemApi extends HttpApi.make("system").add(SystemGroup).middleware(ErrorAnswers) {}
