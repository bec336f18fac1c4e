/** The operator interface. Source: docs/reference/operators.md. */
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { OperatorAuthentication } from "../Authentication.ts"
import { ErrorAnswers } from "../Failure.ts"
import { field, nestedList } from "../internal/Fields.ts"
import * as OpenApiDocument from "../internal/OpenApiDocument.ts"
import { OperatorTokenGroup } from "../TokenApi.ts"
import { AccountsGroup, base, CompaniesGroup, described, errors } from "./CompaniesApi.ts"
import { BrandsGroup, PriceListGroup } from "./PriceListApi.ts"
import { MarketplacesGroup, WebhooksGroup } from "./WebhooksApi.ts"

export class HostGroup extends HttpApiGroup.make("host")
  .add(
    HttpApiEndpoint.get("findings", `${base}/findings`, {
      success: Schema.Struct({
        items: nestedList("The findings", {
          check: field(Schema.String, "What was checked"),
          state: field(Schema.Literals(["ok", "warning", "fault"]), "A fault stops the host or a part of it"),
          says: field(Schema.String, "What was found"),
          todo: field(Schema.NullOr(Schema.String), "What to do; null if all is well")
        })
      }).annotate({ identifier: "Findings", description: "What the host's checks found" }),
      error: errors.read
    }).annotateMerge(
      described("Check the host", "The findings of `crossdock doctor`, on a host of the command.", "findings")
    )
  )
  .middleware(OperatorAuthentication)
  .annotateMerge(OpenApiDocument.group("Host", "The state of the host")) {}

export class OperatorApi extends HttpApi.make("operator")
  .add(
    OperatorTokenGroup,
    CompaniesGroup,
    AccountsGroup,
    MarketplacesGroup,
    WebhooksGroup,
    PriceListGroup,
    BrandsGroup,
    HostGroup
  )
  .middleware(ErrorAnswers)
  .annotateMerge(
    OpenApiDocument.annotations(
      "Operator interface",
      "1.0.0",
      "What operators of a host do: companies, sellers, accounts, marketplaces, webhooks, plans and brands. Every operation except signing in needs the header Authorization: Bearer with an operator's token. No answer has a password, a secret or a token's key."
    )
  ) {}
