/** The companies, locations and products that laws need. A storage without `Directory` or `ProductStore` needs its own seed. */
import { type Company, Directory, type Location } from "@crossdock/access"
import { type Product, ProductStore } from "@crossdock/catalog"
import type { CompanyId, Stored } from "@crossdock/kernel"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Fresh from "./Fresh.ts"

/** Writes the companies, locations and products that laws need. */
export class Seed extends Context.Service<
  Seed,
  {
    readonly companies: (companies: ReadonlyArray<Company>) => Stored<void>
    readonly locations: (locations: ReadonlyArray<Location>) => Stored<void>
    /** Replaces the products with the same item codes. It deletes SKUs that these products no longer have. */
    readonly products: (company: CompanyId, products: ReadonlyArray<Product>) => Stored<void>
  }
>()("@crossdock/storage-laws/Seed") {}

/** A seed that writes through the storage's own ports. */
export const layer = Layer.effect(
  Seed,
  Effect.gen(function* () {
    const [directory, products] = [yield* Directory, yield* ProductStore]
    return Seed.of({
      companies: directory.putCompanies,
      locations: directory.putLocations,
      products: (company, many) => products.put(company, many, 1)
    })
  })
)

/** Writes a new company and returns its id. */
export const freshCompany = Effect.gen(function* () {
  const id = yield* Fresh.companyId
  yield* (yield* Seed).companies([Fresh.company(id)])
  return id
})

/** Writes a company with these locations, and one product with these SKUs. */
export const seller = Effect.fnUntraced(function* (codes: ReadonlyArray<string>, skus: ReadonlyArray<string>) {
  const [seed, id] = [yield* Seed, yield* freshCompany]
  yield* seed.locations(codes.map((code) => Fresh.location(id, code)))
  yield* seed.products(id, [Fresh.product(id, "item", skus)])
  return id
})
