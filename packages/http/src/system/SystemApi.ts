/**
 * Contract: what an operator asks of a host.
 */
import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { unavailable } from "../Failure.ts"

const Health = Schema.Struct({ status: Schema.String })

export class SystemGroup extends HttpApiGroup.make("system")
  .add(HttpApiEndpoint.get("live", "/health/live").addSuccess(Health))
  .add(HttpApiEndpoint.get("ready", "/health/ready").addSuccess(Health).addError(unavailable))
  .add(HttpApiEndpoint.get("metrics", "/metrics").addSuccess(Schema.String))
  .add(HttpApiEndpoint.get("sellerDocument", "/openapi/seller.json").addSuccess(Schema.Unknown))
  .add(HttpApiEndpoint.get("marketplaceDocument", "/openapi/marketplace.json").addSuccess(Schema.Unknown))
  .add(HttpApiEndpoint.get("platformDocument", "/openapi/platform.json").addSuccess(Schema.Unknown))
  .add(HttpApiEndpoint.get("docs", "/docs").addSuccess(Schema.String)) {}

export class SystemApi extends HttpApi.make("system").add(SystemGroup) {}
