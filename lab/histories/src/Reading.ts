/**
 * Reads lists, records and papers over HTTP, as a host answers them on the history's storage.
 */
import { Directory } from "@crossdock/access"
import { PaymentProviderTest } from "@crossdock/billing"
import { DocumentRenderer } from "@crossdock/documents"
import { Host } from "@crossdock/host"
import * as Node from "@crossdock/host/node"
import { generousAllowances } from "@crossdock/http"
import type { CompanyId } from "@crossdock/kernel"
import { orderStatusValues, type Shipment } from "@crossdock/shipments"
import { Context, Effect, Layer, Logger, type Scope } from "effect"
import * as World from "./World.ts"

/** Papers are drawn as JSON: what they say is what matters here. */
const drawn = (papers: unknown) => Effect.succeed(new TextEncoder().encode(JSON.stringify(papers)))
const renderer = Layer.succeed(DocumentRenderer, DocumentRenderer.of({ labels: drawn, invoices: drawn }))

const runtime = { ...Node.runtime({ passwordCost: { logN: 4, blockSize: 8, parallel: 1 } }), documents: renderer }

const sellerNamed = (name: string | null) =>
  World.companies.map((company) => World.seller(company).principal).find(({ id }) => id === name)

const scopes = ["company/finance/read", "company/audit/read"]

/** What a closed company has must be readable too. */
const withAllOpen = (directory: typeof Directory.Service) => ({
  ...directory,
  company: (id: CompanyId) =>
    Effect.map(directory.company(id), (found) => found && { id, name: found.name, legalName: found.legalName })
})

/**
 * A host on the services' storage, until the scope ends. Callers sign in with their name alone.
 */
export const host: Effect.Effect<Host.Host, never, World.Services | Scope.Scope> = Effect.gen(function* () {
  const services = yield* Effect.context<World.Services>()
  const context = Context.add(services, Directory, withAllOpen(Context.get(services, Directory)))
  return yield* Effect.acquireRelease(
    Effect.promise(() =>
      Host.make({
        storage: Layer.succeedContext(context),
        runtime,
        payments: PaymentProviderTest.layer,
        publicUrl: "http://history.test",
        addressOf: () => "192.0.2.1",
        allowances: generousAllowances,
        workers: false,
        observability: Logger.layer([]),
        signIn: {
          seller: async ({ headers }) => sellerNamed(headers.get("x-name")),
          marketplace: async ({ headers }) => World.marketplace(headers.get("x-name") as World.Slug).principal,
          platform: async ({ headers }) => {
            const companyId = sellerNamed(headers.get("x-name"))?.companyId
            return companyId === undefined ? undefined : { kind: "platform_client", id: "reader", companyId, scopes }
          }
        }
      })
    ),
    (running) => Effect.promise(running.dispose)
  )
})

interface Question {
  readonly name: string
  readonly path: string
  readonly body?: unknown
}

const ask = ({ handler }: Host.Host, { body, name, path }: Question) =>
  Effect.promise(async () => {
    const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }
    const headers = { "x-name": name, "content-type": "application/json" }
    const answer = await handler(new Request(`http://history.test${path}`, { ...sent, headers }))
    return { status: answer.status, text: await answer.text() }
  })

const shipmentPath = "/oms/v3/shipment"

const recordsOf = ({ companyId, id, marketplace, orderId }: Shipment): ReadonlyArray<Question> => [
  { name: `seller-${companyId}`, path: `${shipmentPath}?orderId=${id}` },
  { name: `seller-${companyId}`, path: `${shipmentPath}/info?orderId=${id}` },
  { name: `seller-${companyId}`, path: `${shipmentPath}/courierDetails`, body: [{ orderId: id }] },
  { name: marketplace, path: `/order/api/v1/${marketplace}/order?platform_order_id=${orderId}` }
]

const lists: ReadonlyArray<Question> = World.companies.flatMap((company) => [
  ...[
    "/ims/v3/listings?page_size=500",
    "/ims/v3/listings/count",
    "/v3/catalog/product?page_size=200",
    `/service/platform/audit-trail/v1.0/company/${company}/logs?qs=entity.type:shipment`,
    ...World.locations.flatMap((location) =>
      orderStatusValues.map((status) => `${shipmentPath}?orderStatus=${status}&locationCode=${location}&pageSize=100`)
    )
  ].map((path) => ({ name: `seller-${company}`, path }))
])

const faultsOf = (running: Host.Host, questions: ReadonlyArray<Question>) =>
  Effect.map(
    Effect.forEach(questions, (one) => Effect.map(ask(running, one), (answer) => ({ one, answer }))),
    (answers) =>
      answers.flatMap(({ answer: { status, text }, one: { name, path } }) =>
        status === 200 ? [] : [`${name} reads ${path}: ${status} ${text.slice(0, 300)}`]
      )
  )

/**
 * Each of these shipments and its order can be read by its seller and its marketplace.
 */
export const records = (running: Host.Host, shipments: ReadonlyArray<Shipment>) =>
  faultsOf(running, shipments.flatMap(recordsOf))

/**
 * Every list of each seller can be read.
 */
export const everyList = (running: Host.Host) => faultsOf(running, lists)

interface Paper {
  readonly title?: string
  readonly number?: string
  readonly shipmentId?: string
  readonly awbNumbers?: ReadonlyArray<string>
  readonly courier?: string
}

/** A label that gets another AWB or courier is another label. */
const nameOf = ({ awbNumbers, courier, number, shipmentId, title }: Paper): string =>
  title === undefined ? `label of ${shipmentId} ${courier} ${awbNumbers?.join()}` : `${title} ${number}`

/**
 * Each paper of these shipments says what it said when it was printed first.
 */
export const papers = (running: Host.Host, world: World.World, shipments: ReadonlyArray<Shipment>) =>
  Effect.gen(function* () {
    const faults: Array<string> = []
    for (const { companyId, id } of shipments) {
      for (const family of ["labels", "invoice"]) {
        const name = `seller-${companyId}`
        const { status, text } = yield* ask(running, {
          name,
          path: `${shipmentPath}/${family}`,
          body: [{ orderId: id }]
        })
        if (status === 400 && /"code":"(L403|IN403)"/.test(text)) continue
        if (status !== 200) faults.push(`${name} prints ${family} of ${id}: ${status} ${text.slice(0, 300)}`)
        else {
          for (const paper of JSON.parse(text) as ReadonlyArray<Paper>) {
            const key = `${companyId} ${nameOf(paper)}`
            const first = world.papers.get(key)
            const now = JSON.stringify(paper)
            if (first === undefined) world.papers.set(key, now)
            else if (first !== now) faults.push(`${key} was printed as ${first} and is ${now}`)
          }
        }
      }
    }
    return faults
  })
