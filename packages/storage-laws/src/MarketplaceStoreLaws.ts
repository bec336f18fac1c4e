import type { CompanyId, Transaction } from "@crossdock/kernel"
import { type Marketplace, MarketplaceStore } from "@crossdock/marketplaces"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import * as Effect from "effect/Effect"
import { linger, times } from "./ConcurrentWriters.ts"
import * as Fresh from "./Fresh.ts"
import { about, inUnit, type Laws } from "./Laws.ts"

const marketplace = (slug: string, companyId: CompanyId): Marketplace => ({
  slug,
  name: `बाज़ार ${slug}`,
  currency: "INR",
  locations: [{ companyId, location: "L1", code: "M-1" }],
  closedCompanies: [companyId],
  skus: ["s1"],
  retiredCodes: [{ companyId, location: "L9", code: "old" }],
  buffers: [{ companyId, location: null, sku: "s1", quantity: 3 }],
  webhook: {
    url: "https://example.com/hook",
    secret: "whsec_c2VjcmV0",
    retiring: { secret: "whsec_b2xk", until: 1_790_000_000_000 },
    authentication: { type: "basic", username: "u", password: "p" }
  }
})

export const marketplaceStoreLaws = (laws: Laws<MarketplaceStore | Transaction.Transaction>): void => {
  const { concurrent, law } = about(MarketplaceStore, laws)
  law("a marketplace is read back equal; writing again replaces, with a greater version", function* (store) {
    const one = marketplace(yield* Fresh.text("slug"), yield* Fresh.companyId)
    strictEqual(yield* store.find(one.slug), undefined)
    for (const written of [one, { ...one, locations: [], webhook: null }]) {
      const before = yield* store.version
      yield* store.put(written)
      deepStrictEqual(yield* store.find(one.slug), written)
      assertTrue((yield* store.version) > before)
    }
    strictEqual((yield* store.all).filter(({ slug }) => slug === one.slug).length, 1)
  })

  law("several marketplaces are written together, in place of known ones, and stay in a purge", function* (store) {
    const [first, second, id] = [yield* Fresh.text("slug"), yield* Fresh.text("slug"), yield* Fresh.companyId]
    const [one, other] = [marketplace(first, id), marketplace(second, id)]
    yield* store.put(one)
    const encrypted = { ...one, webhook: { url: "https://example.com/hook", encrypted: "v1.id.nonce.text" } }
    const before = yield* store.version
    yield* store.putAll([encrypted, other])
    yield* store.purge
    deepStrictEqual([yield* store.find(first), yield* store.find(second)], [encrypted, other])
    assertTrue((yield* store.version) > before)
  })

  law("marketplaces are ordered by code point of their slugs", function* (store) {
    const [prefix, id] = [yield* Fresh.text("slug"), yield* Fresh.companyId]
    yield* Effect.forEach(Fresh.shuffled, (end) => store.put(marketplace(`${prefix} ${end}`, id)))
    const own = (yield* store.all).map(({ slug }) => slug).filter((slug) => slug.startsWith(`${prefix} `))
    const expected = Fresh.inOrder.map((end) => `${prefix} ${end}`)
    deepStrictEqual(own, expected)
  })

  concurrent("each of several concurrent writers of marketplaces reads the writes before it", function* (store) {
    const one = marketplace(yield* Fresh.text("market"), yield* Fresh.companyId)
    const change = inUnit(function* () {
      yield* store.lock
      const known = yield* store.find(one.slug)
      yield* linger(store.all)
      yield* store.put({ ...one, name: `${known?.name ?? ""}+` })
    })
    yield* times(8, () => change)
    strictEqual((yield* store.find(one.slug))?.name, "++++++++")
  })
}
