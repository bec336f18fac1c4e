/** Handlers: plans, coupons, brands, and the host's findings. */
import { type Coupon, type Plan, PriceList } from "@crossdock/billing"
import { CatalogImport, ReferenceFile, ReferenceStore } from "@crossdock/catalog"
import { BrandsGroup, Endpoints, Failure, HostGroup, PriceListGroup, validationFailed } from "@crossdock/http"
import { CompanyId, Money, type StorageError } from "@crossdock/kernel"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { Companies } from "../Companies.ts"
import * as OperatorWrite from "./OperatorWrite.ts"

const planView = ({ amount, createdAt: _, modifiedAt: __, ...plan }: Plan) => ({
  ...plan,
  price: Money.toNumber(amount, plan.currency)
})

const isoOrNull = (millis: number | null) => (millis === null ? null : new Date(millis).toISOString())

const couponView = ({ endsAt, maxUses, reduction, startsAt, ...coupon }: Coupon.Coupon, used: number) => ({
  ...coupon,
  ...(reduction.kind === "percent"
    ? { percent: reduction.hundredths / 100, amount: null, currency: null }
    : { percent: null, amount: Money.toNumber(reduction.amount, reduction.currency), currency: reduction.currency }),
  ...{ from: isoOrNull(startsAt), until: isoOrNull(endsAt), uses: maxUses, used }
})

const listed = <A, B>(all: ReadonlyArray<A>, view: (one: A) => B) => ({ items: all.map(view), total: all.length })

export const priceList: OperatorWrite.Handled = Endpoints.group(PriceListGroup, function* (handlers) {
  const { addCoupon, addPlan, coupons, endCoupon, plans, setActive } = yield* PriceList.make
  const { act, write } = yield* OperatorWrite.make
  const withUses = (coupon: Coupon.Coupon) =>
    Effect.map(coupons, (all) => couponView(coupon, all.find((one) => one.coupon.code === coupon.code)?.used ?? 0))
  return handlers({
    plans: () => Effect.map(plans, (all) => listed(all, planView)),
    putPlan: ({ params, payload }) =>
      write(payload, (_, sent) => Effect.map(addPlan({ ...params, ...sent }), planView)),
    enablePlan: ({ params, payload }) =>
      write(payload, (_, { enabled }) => Effect.map(setActive(params.id, enabled), planView)),
    coupons: () => Effect.map(coupons, (all) => listed(all, ({ coupon, used }) => couponView(coupon, used))),
    putCoupon: ({ params, payload }) =>
      write(payload, (_, sent) => Effect.flatMap(addCoupon({ ...params, ...sent }), withUses)),
    endCoupon: ({ params }) => act(() => Effect.flatMap(endCoupon(params.code), withUses))
  })
})

const none = { departments: [], categories: [], templates: [], attributes: [], hsCodes: [], taxRules: [] }

export const brands: OperatorWrite.Handled = Endpoints.group(BrandsGroup, function* (handlers) {
  const { find } = yield* Companies
  const store = yield* ReferenceStore
  const { reference } = yield* CatalogImport.CatalogImport
  const { write } = yield* OperatorWrite.make
  const read = Effect.fnUntraced(function* (id: number) {
    const { company } = yield* Effect.mapError(find(CompanyId.make(id)), OperatorWrite.failureOf)
    return listed(yield* store.brands(company.id), ({ name, uid }) => ({ uid, name }))
  })
  return handlers({
    list: ({ params }) => read(params.company_id),
    put: ({ params: { company_id }, payload }) =>
      write(
        payload,
        Effect.fnUntraced(function* (_, { brands }) {
          yield* read(company_id)
          const file = { ...none, brands: brands.map((one) => ({ ...one, company_id })) }
          const decoded = Effect.mapError(Effect.fromResult(ReferenceFile.decode(file)), (found) =>
            validationFailed(found)
          )
          yield* reference(...(yield* decoded))
          return yield* read(company_id)
        })
      )
  })
})

/** A result of the host's checks. */
export interface Finding {
  readonly check: string
  readonly state: "ok" | "warning" | "fault"
  readonly says: string
  readonly todo: string | null
}

/** The checks of the host's own, which know its settings and its database. */
export const Findings = Context.Reference<Effect.Effect<ReadonlyArray<Finding>, StorageError> | undefined>(
  "@crossdock/host/Findings",
  { defaultValue: () => undefined }
)

const noFindings = new Failure({
  code: "NOT_FOUND",
  message: "This host has no checks of its own. Run crossdock doctor with its settings."
})

export const host: OperatorWrite.Handled = Endpoints.group(HostGroup, function* (handlers) {
  const findings = yield* Findings
  return handlers({
    findings: () => (findings === undefined ? noFindings : Effect.map(findings, (items) => ({ items })))
  })
})
