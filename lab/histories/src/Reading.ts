/** Reads lists, records and documents over HTTP from a host on the history's storage. */
import { Directory } from "@crossdock/access"
import { PaymentProviderTest } from "@crossdock/billing"
import { Host, orThrow } from "@crossdock/host"
import * as Node from "@crossdock/host/node"
import { generousAllowances } from "@crossdock/http"
import type { CompanyId } from "@crossdock/kernel"
import { orderStatusValues, type Shipment } from "@crossdock/shipments"
import { Context, Effect, Layer, Logger, type Scope } from "effect"
import * as Charges from "./Charges.ts"
import * as Choice from "./Choice.ts"
import * as Fields from "./Fields.ts"
import * as World from "./World.ts"

/** The host's own form of documents. It is JSON, so that tests can read the content. */
const paper = { mimeType: "application/json", extension: "json", draw: (papers: unknown) => JSON.stringify(papers) }

const runtime = Node.runtime({ passwordCost: { logN: 4, blockSize: 8, parallel: 1 } })

const sellerNamed = (name: string | null) =>
  World.companies.map((company) => World.seller(company).principal).find(({ id }) => id === name)

const scopes = ["company/finance/read", "company/audit/read"]

/** The directory with all companies open. The data of a closed company must be readable too. */
const withAllOpen = (directory: typeof Directory.Service) => ({
  ...directory,
  company: (id: CompanyId) =>
    Effect.map(directory.company(id), (found) => {
      if (found === undefined) return found
      const { closedAt: _, ...open } = found
      return open
    })
})

/** A host on the storage of the services. It runs until the scope ends. Callers sign in with a name alone. */
export const host: Effect.Effect<Host.Host, never, World.Services | Scope.Scope> = Effect.gen(function* () {
  const services = yield* Effect.context<World.Services>()
  const context = Context.add(services, Directory, withAllOpen(Context.get(services, Directory)))
  return yield* Effect.acquireRelease(
    Effect.promise(() =>
      Host.make({
        storage: Layer.succeedContext(context),
        runtime,
        documents: { labels: paper, invoice: paper },
        fields: Fields.declared,
        charges: Charges.policy,
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

interface Answered {
  readonly custom_fields?: object
  readonly order_custom_fields?: object
  readonly orderItems?: ReadonlyArray<Answered>
  readonly bags?: ReadonlyArray<Answered>
  readonly shipment_id?: string
  readonly id?: string
  readonly item_code?: string
}

const read = (running: Host.Host, question: Question): Effect.Effect<ReadonlyArray<Answered>> =>
  Effect.map(ask(running, question), ({ text }) => {
    const { items, orders, shipments, ...order } = JSON.parse(text)
    return (
      items ?? orders ?? shipments?.map((one: object) => ({ ...one, order_custom_fields: order.custom_fields })) ?? []
    )
  })

const shownIn = ({ bags, custom_fields: own, order_custom_fields: order, orderItems }: Answered) => ({
  order,
  own,
  items: (orderItems ?? bags ?? []).map(({ custom_fields }) => custom_fields)
})

/** Sellers and marketplaces can read these shipments and their orders, with the fields that were sent. */
export const records = (running: Host.Host, world: World.World, shipments: ReadonlyArray<Shipment>) =>
  Effect.gen(function* () {
    const faults: Array<string> = []
    for (const shipment of shipments) {
      const questions = recordsOf(shipment)
      faults.push(...(yield* faultsOf(running, questions)))
      const byId = new Map(world.placed.get(shipment.orderId)?.shipments.map((one) => [one.id, one]))
      for (const question of questions.filter(({ body }) => body === undefined)) {
        for (const answered of yield* read(running, question)) {
          const one = byId.get(answered.id ?? answered.shipment_id ?? "")
          if (one === undefined) continue
          faults.push(...Fields.faults(`${question.path}: ${one.id}`, shownIn(answered), Fields.expected(world, one)))
        }
      }
    }
    return faults
  })

/** Products are listed with their fields. A filtered list has exactly the records with the value. */
export const filtered = (running: Host.Host, world: World.World) =>
  Effect.gen(function* () {
    const faults: Array<string> = []
    for (const company of World.companies) {
      const name = `seller-${company}`
      const products = (path: string) => read(running, { name, path: `/v3/catalog/product?page_size=200${path}` })
      const all = yield* products("")
      const fieldsOf = ({ item_code = "" }: Answered) => Fields.ofProduct(world, company, item_code)
      for (const one of all)
        faults.push(...Fields.faults(`${name}: ${one.item_code}`, one.custom_fields, fieldsOf(one)))
      const filter = "custom_fields.product.recycled=true"
      const recycled = (some: ReadonlyArray<Answered>) => some.map(({ item_code }) => item_code).sort()
      const must = recycled(all.filter((one) => fieldsOf(one)?.recycled === true))
      faults.push(...Fields.faults(`${name}: ${filter}`, recycled(yield* products(`&${filter}`)), must))
      const { poNumber, priority } = Fields.used(world)
      for (const [filter, matches] of [
        [`custom_fields.order.po_number=${poNumber}`, ({ order }) => order?.po_number === poNumber],
        [`custom_fields.shipment.priority=${priority}`, ({ own }) => own?.priority === priority]
      ] satisfies ReadonlyArray<readonly [string, (shown: Fields.Shown) => boolean]>) {
        const found = yield* read(running, { name, path: `${shipmentPath}/info?pageSize=100&${filter}` })
        const ids = found.map(({ id }) => id).sort()
        faults.push(...Fields.faults(`${name}: ${filter}`, ids, Fields.found(world, company, matches).toSorted()))
      }
    }
    return faults
  })

/** The lists of each seller can be read. */
export const everyList = (running: Host.Host) => faultsOf(running, lists)

interface Paper {
  readonly title?: string
  readonly number?: string
  readonly lines?: ReadonlyArray<{ readonly total: number; readonly title: string }>
  readonly shipmentId?: string
  readonly awbNumbers?: ReadonlyArray<string>
  readonly courier?: string
  readonly customFields?: object
  readonly orderFields?: object
}

/** The name of a document. A label with another AWB or courier is another document. */
const nameOf = ({ awbNumbers, courier, number, shipmentId, title }: Paper): string =>
  title === undefined ? `label of ${shipmentId} ${courier} ${awbNumbers?.join()}` : `${title} ${number}`

/** Each document of these shipments has the same content as its first print. */
export const papers = (running: Host.Host, world: World.World, shipments: ReadonlyArray<Shipment>) =>
  Effect.gen(function* () {
    const faults: Array<string> = []
    for (const shipment of shipments) {
      const { companyId, id, orderId } = shipment
      if (world.erased.has(orderId)) continue
      const { order, own } = Fields.expected(world, shipment)
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
            const { customFields, lines, orderFields } = paper
            faults.push(...Charges.onPaper(world, shipment, key, family === "invoice" ? lines : []))
            faults.push(...Fields.faults(key, { order: orderFields, own: customFields }, { order, own }))
            if (first === undefined) world.papers.set(key, now)
            else if (first !== now) faults.push(`${key} was printed as ${first} and is ${now}`)
          }
        }
      }
    }
    return faults
  })

/** Registers companies again, with or without some of the host's own fields. Omitted fields don't change. */
export const companies = ({ services, system }: Host.Host, world: World.World) =>
  Effect.promise(async () => {
    const faults: Array<string> = []
    for (const id of World.companies) {
      const [company, location] = [Fields.drawn(world.draw, "company"), Fields.drawn(world.draw, "location")]
      const before = world.owned.get(id)
      const isWrong = Choice.isChance(world.draw, 0.2)
      const place = { code: World.locations[0], name: "L1", currency: "INR", handlingHours: 24, address: null }
      const registered = await services.companies.register(
        system("history"),
        { id, name: `Seller ${id}`, legalName: `Seller ${id}`, ...company },
        [{ ...place, ...(isWrong ? { customFields: { dock: "x" } } : location) }]
      )
      if (registered.ok === isWrong) faults.push(`company ${id} was ${registered.ok ? "" : "not "}registered`)
      const owned = isWrong
        ? before
        : {
            company: company.customFields ?? before?.company,
            location: location.customFields ?? before?.location
          }
      if (owned !== undefined) world.owned.set(id, owned)
      const found = await orThrow(services.companies.find(id))
      const shown = { company: found.company.customFields, location: found.locations[0]?.customFields }
      faults.push(...Fields.faults(`company ${id}`, shown, owned ?? { company: undefined, location: undefined }))
    }
    return faults
  })
