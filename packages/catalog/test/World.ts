/** The catalog's services on a storage in memory, with the samples' reference data. */
import { type Caller, Directory, type Integration } from "@crossdock/access"
import { CompanyWrite } from "@crossdock/audit"
import { CatalogImport, CatalogWrites, type ProductShapeCheck, References } from "@crossdock/catalog"
import { brands as brandList, company, referenceData as data } from "@crossdock/catalog/testing"
import { DigestNode } from "@crossdock/crypto"
import { BackgroundLoop, CompanyId, Ids } from "@crossdock/kernel"
import { StorageMemory } from "@crossdock/storage-memory"
import { Effect, Layer } from "effect"

/** Has the same brand, and products of its own. */
export const otherCompany = CompanyId.make(2)

const ground = Layer.mergeAll(StorageMemory.layer, DigestNode.layer, Ids.layer, BackgroundLoop.registry)

const services = Layer.mergeAll(CatalogWrites.layer, CatalogImport.layer).pipe(
  Layer.provideMerge(Layer.merge(References.layer, CompanyWrite.layer)),
  Layer.provideMerge(ground)
)

const filled = Layer.effectDiscard(
  Effect.gen(function* () {
    const [directory, imports] = [yield* Directory, yield* CatalogImport.CatalogImport]
    yield* directory.putCompanies([
      { id: company, name: "Acme", legalName: "Acme Private Limited" },
      { id: otherCompany, name: "Zephyr", legalName: "Zephyr Private Limited" }
    ])
    yield* imports.reference(data, [...brandList, { companyId: otherCompany, uid: 1, name: "Acme" }])
  })
)

/** A separate world for each test that provides it. */
export const layer = Layer.provideMerge(filled, services)

export const caller = (companyId: CompanyId = company): Caller<Integration> => ({
  principal: {
    kind: "integration",
    id: "acme",
    integrationId: "i1",
    companyId,
    locations: null,
    stockPolicy: "set"
  },
  requestId: "r1"
})

export const submission = (
  operation: ProductShapeCheck.Submission["operation"],
  ...products: ReadonlyArray<unknown>
) => ({
  operation,
  template: "apparel",
  products
})
