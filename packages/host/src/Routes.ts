/** The interfaces of a host, with sign-in, links and limits. They use the host's services. */
import { Access, Directory, type Integration, type MarketplaceCaller, type PlatformClient } from "@crossdock/access"
import type { Checkpoint, CompanyWrite } from "@crossdock/audit"
import {
  AdminApi,
  type Allowances,
  Authentication,
  DocumentLinks,
  Edge,
  HealthApi,
  HttpPolicy,
  InvoiceDocuments,
  MarketplaceApi,
  MarketplaceHttp,
  OperatorApi,
  PlatformApi,
  PlatformHttp,
  Reply,
  SellerApi,
  SellerHttp,
  SystemHttp,
  TokenHandlers
} from "@crossdock/http"
import type { CompanyId, StorageError } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as CompaniesHandlers from "./operator/CompaniesHandlers.ts"
import * as PlansHandlers from "./operator/PlansHandlers.ts"
import * as WebhooksHandlers from "./operator/WebhooksHandlers.ts"
import { type Runtime, SetupError } from "./Runtime.ts"
import type { Services } from "./Services.ts"
import * as TokenSecrets from "./TokenSecrets.ts"

/** A host's sign-in instead of tokens. Each function returns the caller, or undefined. Closed companies are rejected. */
export interface SignIn {
  readonly seller?: (request: Request) => Promise<Integration | undefined>
  readonly marketplace?: (request: Request) => Promise<MarketplaceCaller | undefined>
  readonly platform?: (request: Request) => Promise<PlatformClient | undefined>
}

/** The name of an interface. */
export type InterfaceName = keyof SignIn | "operator"

/** The interfaces of a host, and their settings. */
export interface Options {
  readonly runtime: Runtime
  /** The address by which callers reach the host, without a trailing slash. Links begin with it. */
  readonly publicUrl: string
  /** The interfaces to serve. The default is seller, marketplace and platform. A console adds "operator". */
  readonly interfaces?: ReadonlyArray<InterfaceName> | undefined
  /** The secret that signs tokens and links: at least 32 bytes, the same on all hosts. The default is random and stored. */
  readonly tokenSecret?: Redacted.Redacted | undefined
  /** The previous secret. Keep it until the last tokens that it signed have expired. */
  readonly previousTokenSecret?: Redacted.Redacted | undefined
  readonly signIn?: SignIn | undefined
  /** Accepts the accounts of a sandbox, whose passwords are public. The operator of the sandbox isn't accepted. */
  readonly sandbox?: boolean | undefined
  /** Also accepts the operator of the sandbox, who has all rights. Use it only if other machines can't reach the host. */
  readonly sandboxOperator?: boolean | undefined
  /** The number of proxies in front of the host. Each proxy appends the address of its caller to X-Forwarded-For. */
  readonly trustedProxies?: number | undefined
  /** Accepts usernames and passwords in URLs, which existing clients of the seller interface send. The default is true. */
  readonly queryCredentials?: boolean | undefined
  /** Ignores unknown query parameters instead of rejecting them. */
  readonly lenientQuery?: boolean | undefined
  /** Request limits of accounts and addresses. */
  readonly allowances?: Allowances | undefined
  /** The base URL of `docs` in errors, without a trailing slash, or "" for none. The default is the host's pages. */
  readonly docsUrl?: string | undefined
  /** Public keys that verify checkpoints. They are published at `/.well-known/crossdock-audit-keys.json`. */
  readonly auditKeys?: Checkpoint.PublicKeys | undefined
  /** Also serves `/metrics`, `/openapi` and `/docs`. They reveal nothing about companies but much about the host. */
  readonly admin?: boolean | undefined
  /** A page for the operations of the interfaces: docs/guides/build-a-host.md#console. Write `console: Console.make()`. */
  readonly console?: Console | undefined
}

/** The routes of a console and its API. `Console.make()` of `@crossdock/console` returns them. */
export interface Console {
  readonly api: Edge.Interface
  readonly layer: Layer.Layer<
    never,
    never,
    Access.Access | CompanyWrite.CompanyWrite | Directory | HttpRouter.HttpRouter
  >
}

const checked = (secret: Redacted.Redacted) =>
  new TextEncoder().encode(Redacted.value(secret)).length >= 32
    ? Effect.succeed(secret)
    : new SetupError({ message: "tokenSecret must have at least 32 bytes: make one with `openssl rand -base64 32`" })

const checkedUrl = (url: string) =>
  /^https?:\/\/[^\s?#]+[^\s?#/]$/.test(url)
    ? Effect.succeed(url)
    : new SetupError({ message: "publicUrl must be an http or https URL without a query or a trailing slash" })

/** Calls a host's own sign-in. If it throws, that is a defect, which is logged and answered with 500. */
const asked =
  <P>(who: (request: Request) => Promise<P | undefined>) =>
  ({ source }: HttpServerRequest.HttpServerRequest) =>
    Effect.promise(() => who(source as Request))

/** Like `asked`, for callers of a company. The company must be open. */
const askedOfOpen = <P extends { readonly companyId: CompanyId }>(
  directory: typeof Directory.Service,
  who: (request: Request) => Promise<P | undefined>
) =>
  Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
    const principal = yield* asked(who)(request)
    const company = principal && (yield* directory.company(principal.companyId))
    return company?.closedAt === undefined ? principal : undefined
  })

const signing = ({ previousTokenSecret, runtime, tokenSecret }: Options) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const given = previousTokenSecret === undefined ? [] : [yield* checked(previousTokenSecret)]
      if (tokenSecret !== undefined) return runtime.signing(yield* checked(tokenSecret), given)
      const { accepted, signs } = yield* TokenSecrets.present
      return runtime.signing(signs, [...given, ...accepted])
    })
  )

const ofCompany = <P extends { readonly companyId: CompanyId }, A, E, R>(
  who: ((request: Request) => Promise<P | undefined>) | undefined,
  byTokens: Layer.Layer<A, E, R>,
  by: (identify: ReturnType<typeof askedOfOpen<P>>) => Layer.Layer<A, E>
) =>
  Layer.unwrap(Effect.map(Directory, (directory) => (who === undefined ? byTokens : by(askedOfOpen(directory, who)))))

const seller = ({ seller: who }: SignIn) =>
  Layer.provide(SellerHttp.routes, ofCompany(who, Authentication.sellerLayer, Authentication.sellerBy))

const marketplace = ({ marketplace: who }: SignIn) =>
  Layer.provide(
    MarketplaceHttp.routes,
    who === undefined ? Authentication.marketplaceLayer : Authentication.marketplaceBy(asked(who))
  )

const platform = ({ platform: who }: SignIn) =>
  Layer.provide(PlatformHttp.routes, ofCompany(who, Authentication.platformLayer, Authentication.platformBy))

const operator = Layer.mergeAll(
  TokenHandlers.operator,
  CompaniesHandlers.companies,
  CompaniesHandlers.accounts,
  WebhooksHandlers.marketplaces,
  WebhooksHandlers.webhooks,
  PlansHandlers.plans,
  PlansHandlers.brands,
  PlansHandlers.host
).pipe(Layer.provide(Authentication.operatorLayer))

const apis = { seller: SellerApi, marketplace: MarketplaceApi, platform: PlatformApi, operator: OperatorApi } as const

/** The names of all interfaces. */
export const everyInterface: ReadonlyArray<InterfaceName> = ["seller", "marketplace", "platform", "operator"]

/** The routes of the interfaces, of health and of `admin`. Other paths are 404. The layer also provides `Access`. */
export const layer = (
  options: Options
): Layer.Layer<Access.Access, SetupError | StorageError, Services | HttpRouter.HttpRouter> => {
  const { admin = false, allowances, auditKeys, console, signIn = {} } = options
  const chosen = options.interfaces ?? everyInterface.slice(0, 3)
  // A console needs the operator interface.
  const interfaces = console === undefined ? chosen : [...new Set<InterfaceName>([...chosen, "operator"])]
  const routes = { seller: seller(signIn), marketplace: marketplace(signIn), platform: platform(signIn), operator }
  const edge = Edge.layer(
    [
      ...interfaces.map((name) => apis[name]),
      HealthApi,
      ...(admin ? [AdminApi] : []),
      ...(console === undefined ? [] : [console.api])
    ],
    {
      pages: [...(admin ? SystemHttp.pages : []), ...(auditKeys === undefined ? [] : [SystemHttp.auditKeysPath])],
      ...(allowances === undefined ? {} : { allowances })
    }
  )
  return Layer.unwrap(
    Effect.map(checkedUrl(options.publicUrl), (publicUrl) =>
      Layer.mergeAll(
        SystemHttp.health,
        ...interfaces.map((name) => routes[name]),
        auditKeys === undefined
          ? Layer.empty
          : HttpRouter.add("GET", SystemHttp.auditKeysPath, HttpServerResponse.jsonUnsafe(auditKeys)),
        admin ? SystemHttp.admin : Layer.empty,
        console === undefined ? Layer.empty : console.layer,
        edge
      ).pipe(
        Layer.provide([DocumentLinks.layer(publicUrl), InvoiceDocuments.layer(publicUrl), Reply.layer]),
        Layer.provideMerge(
          Access.layer({ sandbox: options.sandbox ?? false, sandboxOperator: options.sandboxOperator })
        ),
        Layer.provide(signing(options)),
        Layer.provide(
          Layer.succeed(HttpPolicy, {
            trustedProxies: options.trustedProxies ?? 0,
            queryCredentials: options.queryCredentials ?? true,
            lenientQuery: options.lenientQuery ?? false,
            publicUrl,
            docsUrl: options.docsUrl ?? (admin ? `${publicUrl}/docs` : "")
          })
        )
      )
    )
  )
}
