/** A seller writes its stock and its products. */
import { Directory } from "@crossdock/access"
import { CatalogWrites, type ProductShapeCheck } from "@crossdock/catalog"
import { Inventory, Level } from "@crossdock/inventory"
import { Bulk, type CompanyId } from "@crossdock/kernel"
import { mayMoveStock } from "@crossdock/shipments"
import { Effect, Result } from "effect"
import * as Aborted from "./Aborted.ts"
import * as Choice from "./Choice.ts"
import * as Fields from "./Fields.ts"
import * as Goods from "./Goods.ts"
import * as World from "./World.ts"

/** A quantity of stock. It is rarely so high that returned units would exceed the maximum. */
const setTo = (draw: World.World["draw"]): number =>
  Choice.isChance(draw, 0.1) ? Level.maxUnits - Choice.between(draw, 0, 3) : Choice.between(draw, 0, 30)

export const stock = (world: World.World) =>
  Effect.gen(function* () {
    const { draw } = world
    const { setStock } = yield* Inventory.Inventory
    const policy = Choice.oneOf(draw, ["set", "adjust"] as const)
    const caller = World.seller(Choice.oneOf(draw, World.companies), policy)
    const records = Array.from({ length: Choice.between(draw, 1, 6) }, () =>
      Result.succeed({
        location: Choice.oneOf(draw, World.locations),
        sku: Choice.oneOf(draw, Goods.skus),
        quantity: policy === "set" ? setTo(draw) : Choice.between(draw, -5, 10),
        expected: Choice.isChance(draw, 0.1) ? Choice.between(draw, 0, 30) : null
      })
    )
    const { status } = yield* Aborted.withKey(world, setStock(caller, records))
    return `${caller.principal.id} ${policy}s stock: ${status}`
  })

/** Products that can be deleted although customers have units of them. These units may come back. */
const withCustomers = (world: World.World, company: CompanyId) => {
  const own = [...world.placed.values()].flatMap(({ shipments }) =>
    shipments.filter((one) => one.companyId === company)
  )
  const skusOf = (some: typeof own) => new Set(some.flatMap(({ items }) => items.map(({ sku }) => sku)))
  const out = skusOf(own.filter(({ status }) => status === "delivery_done" || status === "handed_over_to_customer"))
  const open = skusOf(own.filter(mayMoveStock))
  const has = (code: string, skus: ReadonlySet<string>) => Goods.skusOf(code).some((sku) => skus.has(sku))
  return Goods.codes.filter((code) => has(code, out) && !has(code, open))
}

/** Deletes products and sizes that customers have, and creates them again with the same names, sometimes with new stock. */
export const products = (world: World.World) =>
  Effect.gen(function* () {
    const { draw } = world
    const { apply, find } = yield* CatalogWrites.CatalogWrites
    const caller = World.seller(Choice.oneOf(draw, World.companies))
    const likely = withCustomers(world, caller.principal.companyId)
    const code = Choice.oneOf(draw, likely.length > 0 && Choice.isChance(draw, 0.5) ? likely : Goods.codes)
    const size = { primary_identifier: Choice.oneOf(draw, Goods.skusOf(code)) }
    type Written = Parameters<typeof Fields.write>[2]
    const write = (operation: ProductShapeCheck.Submission["operation"], product: Written) =>
      Effect.gen(function* () {
        const { traceId } = yield* Aborted.withKey(
          world,
          apply(caller, { operation, template: "apparel", products: [product] })
        )
        const done = yield* find(caller, traceId)
        if (done?.failures.length === 0) Fields.write(world, caller.principal.companyId, product, operation)
        return `${caller.principal.id} ${operation}s ${code}: ${done === undefined ? "?" : Bulk.statusOf(done)}`
      })
    const written = () => {
      const { customFields } = Fields.drawn(draw, "product")
      return { ...Goods.product(code), ...(customFields && { custom_fields: customFields }) }
    }
    const [operation, product] = Choice.weighted<readonly ["create" | "update" | "delete", Written]>(draw, [
      [4, ["create", written()]],
      [2, ["update", written()]],
      [6, ["delete", { item_code: code }]],
      [2, ["delete", { item_code: code, ...{ sizes: [size] } }]]
    ])
    const said = yield* write(operation, product)
    if (operation !== "delete" || Choice.isChance(draw, 0.2)) return said
    const again = [yield* write("create", written()), yield* write("update", written())]
    const { setStock } = yield* Inventory.Inventory
    const records = Goods.skusOf(code).map((sku) =>
      Result.succeed({ location: Choice.oneOf(draw, World.locations), sku, quantity: setTo(draw), expected: null })
    )
    const { status } = yield* setStock(caller, records)
    return [said, ...again, `sets stock: ${status}`].join(", ")
  })

const states = [
  ["Karnataka", "29AAAAA0000A1Z5"],
  ["Maharashtra", "27AAAAA0000A1Z5"],
  ["Goa", null]
] as const

/** A seller moves a location, or changes its legal name. */
export const details = (world: World.World) =>
  Effect.gen(function* () {
    const { draw } = world
    const { putCompanies, putLocations } = yield* Directory
    const companyId = Choice.oneOf(draw, World.companies)
    const code = Choice.oneOf(draw, World.locations)
    const [state, gstin] = Choice.oneOf(draw, states)
    const lines = { address1: `${Choice.between(draw, 1, 99)} Road`, address2: null, city: "A City", pincode: "1" }
    const address = Choice.isChance(draw, 0.2) ? null : { ...lines, state, gstin, country: "India", phone: null }
    const name = `Seller ${companyId} ${Choice.between(draw, 1, 99)}`
    yield* putCompanies([{ id: companyId, name, legalName: name }])
    yield* putLocations([{ companyId, code, name: code, currency: "INR", handlingHours: 24, address }])
    return `seller-${companyId} moves ${code}`
  })
