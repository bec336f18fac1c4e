/** Contract: a host's health, and its metrics and documents. */
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { ErrorAnswers, unavailable } from "../Failure.ts"
import * as Fields from "../internal/Fields.ts"

/** A host's readiness. Failing background work never ends it, or all hosts on a database would become unready at once. */
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

export class HealthGroup extends HttpApiGroup.make("health").add(
  HttpApiEndpoint.get("live", "/health/live", { success: Schema.Struct({ status: Schema.String }) }),
  HttpApiEndpoint.get("ready", "/health/ready", { success: Readiness, error: [unavailable] })
) {}

/** The routes of health, for load balancers. */
export class HealthApi extends HttpApi.make("health").add(HealthGroup).middleware(ErrorAnswers) {}

export class AdminGroup extends HttpApiGroup.make("admin").add(
  HttpApiEndpoint.get("metrics", "/metrics", { success: Schema.String }),
  HttpApiEndpoint.get("sellerDocument", "/openapi/seller.json", { success: Fields.json }),
  HttpApiEndpoint.get("marketplaceDocument", "/openapi/marketplace.json", { success: Fields.json }),
  HttpApiEndpoint.get("platformDocument", "/openapi/platform.json", { success: Fields.json }),
  HttpApiEndpoint.get("operatorDocument", "/openapi/operator.json", { success: Fields.json }),
  HttpApiEndpoint.get("docs", "/docs", { success: Schema.String })
) {}

/** The routes for operators and developers: metrics and documents, which a host may serve on a separate port. */
export class AdminApi extends HttpApi.make("admin").add(AdminGroup).middleware(ErrorAnswers) {}
