import { BillingStore, type Coupon, type Plan, PriceList } from "@crossdock/billing"
import { CatalogImport, ReferenceFile, ReferenceStore } from "@crossdock/catalog"
import { Endpoints, Failure, Operators, validationFailed } from "@crossdock/http"
import { CompanyId, Money, type Stored } from "@crossdock/kernel"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { Companies } from "../Companies.ts"
import { listed } from "./CompaniesHandlers.ts"
import * as OperatorWrite from "./OperatorWrite.ts"

const planView = ({ amount, createdAt: _, modifiedAt: __, ...plan }: Plan) => ({
  ...plan,
  price: Money.toNumber(amount, plan.currency)
})

const dateOf = (at: number | null) => (at === null ? null : new Date(at).toISOString())

const couponView = ({ code, endsAt, maxUses, plans, reduction, startsAt }: Coupon.Coupon, used: number) => ({
  code,
  percent: reduction.kind === "percent" ? reduction.hundredths / 100 : null,
  amount: reduction.kind === "fixed" ? Money.toNumber(reduction.amount, reduction.currency) : null,
  currency: reduction.kind === "fixed" ? reduction.currency : null,
  plans,
  from: dateOf(startsAt),
  until: dateOf(endsAt),
  uses: maxUses,
  used
})

export const plans: OperatorWrite.Handled = Endpoints.group(Operators.PlansGroup, function* (handlers) {
  const { addCoupon, addPlan, coupons, plans, setActive } = yield* PriceList.make
  const store = yield* BillingStore
  const { write } = yield* OperatorWrite.make
  return handlers({
    list: () => Effect.map(plans, (all) => listed(all, planView)),
    put: ({ params, payload }) => write(payload, (_, sent) => Effect.map(addPlan({ ...params, ...sent }), planView)),
    enable: ({ params, payload }) =>
      write(payload, (_, { enabled }) => Effect.map(setActive(params.id, enabled), planView)),
    coupons: () => Effect.map(coupons, (all) => listed(all, ({ coupon, used }) => couponView(coupon, used))),
    putCoupon: ({ params, payload }) =>
      write(
        payload,
        Effect.fnUntraced(function* (_, sent) {
          const coupon = yield* addCoupon({ ...params, ...sent })
          return couponView(coupon, (yield* store.coupon(coupon.code))?.used ?? 0)
        })
      )
  })
})

const none = { departments: [], categories: [], templates: [], attributes: [], hsCodes: [], taxRules: [] }

export const brands: OperatorWrite.Handled = Endpoints.group(Operators.BrandsGroup, function* (handlers) {
  const { find } = yield* Companies
  const store = yield* ReferenceStore
  const { reference } = yield* CatalogImport.CatalogImport
  const { write } = yield* OperatorWrite.make
  const read = Effect.fnUntraced(function* (id: number) {
    const { company } = yield* Effect.mapError(find(CompanyId.make(id)), OperatorWrite.failureOf)
    return { brands: (yield* store.brands(company.id)).map(({ name, uid }) => ({ uid, name })) }
  })
  return handlers({
    list: ({ params }) => read(params.company_id),
    put: ({ params: { company_id }, payload }) =>
      write(
        payload,
        Effect.fnUntraced(function* (_, { brands }) {
          yield* read(company_id)
          const file = { ...none, brands: brands.map((one) => ({ ...one, company_id })) }
          const decoded = Effect.fromResult(ReferenceFile.decode(file))
          yield* reference(...(yield* Effect.mapError(decoded, (found) => validationFailed(found))))
          return yield* read(company_id)
        })
      )
  })
})

/** The result of a check. A fault breaks a part of the host. A warning is a risk or a future fault. Only ok lacks `todo`. */
export interface Finding {
  readonly check: string
  readonly state: "ok" | "warning" | "fault"
  readonly says: string
  readonly todo: string | null
}

/** The host's checks of its settings and database. By default there are no checks. */
export const Findings = Context.Reference<Stored<ReadonlyArray<Finding>, Failure>>("@crossdock/host/Findings", {
  defaultValue: () => {
    const message = "This host has no checks of its own. Run crossdock doctor with its settings."
    return new Failure({ code: "NOT_FOUND", message }).asEffect()
  }
})

export const host: OperatorWrite.Handled = Endpoints.group(Operators.HostGroup, function* (handlers) {
  const findings = yield* Findings
  return handlers({ findings: () => Effect.map(findings, (all) => listed(all, (one) => one)) })
})
