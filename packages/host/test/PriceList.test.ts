/**
 * Plans, coupons and extensions of a host, as the command changes them.
 */
import type { Caller } from "@crossdock/access"
import { type Host, type Outcome, orThrow } from "@crossdock/host"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import * as FastCheck from "fast-check"
import { afterAll, beforeAll } from "vitest"
import { runs } from "../../kernel/test/runs.ts"
import { acme, bazaar, seller, start } from "./Shop.ts"

const plan = { id: "pro", name: "Pro", price: 1499.5, currency: "INR", interval: "month" } as const
const coupon = { code: "TEN", percent: 10, plans: ["pro"], until: "2030-01-01" } as const
const extension = { id: "sync", name: "Sync", companies: [1] } as const

const pathsOf = (outcome: Outcome<unknown, unknown>): unknown => {
  if (outcome.ok) return "applied"
  const { code, errors = [] } = outcome.error as { code: string; errors?: ReadonlyArray<{ path: string }> }
  return [code, ...errors.map(({ path }) => path)]
}

const calls: ReadonlyArray<
  readonly [name: string, valid: unknown, call: (host: Host.Host, caller: Caller, sent: never) => Promise<unknown>]
> = [
  ["plans.add", plan, ({ services }, caller, sent) => services.plans.add(caller as never, sent)],
  ["plans.disable", "pro", ({ services }, caller, sent) => services.plans.disable(caller as never, sent)],
  ["plans.enable", "pro", ({ services }, caller, sent) => services.plans.enable(caller as never, sent)],
  ["coupons.add", coupon, ({ services }, caller, sent) => services.coupons.add(caller as never, sent)],
  ["coupons.disable", "TEN", ({ services }, caller, sent) => services.coupons.disable(caller as never, sent)],
  ["extensions.add", extension, ({ services }, caller, sent) => services.extensions.add(caller as never, sent)]
]

describe("Plans, coupons and extensions", () => {
  let host: Host.Host
  let system: Caller
  beforeAll(async () => {
    host = (await start()).host
    system = host.system("setup")
  })
  afterAll(() => host.dispose())

  it("are added, changed, listed, ended, and used", async () => {
    const { billing, coupons, extensions, plans } = host.services
    const caller = host.system("setup")
    const { amount, isActive, limits } = await orThrow(plans.add(caller, plan))
    deepStrictEqual([amount, isActive, limits.team.limit], [149_950, true, -1])
    strictEqual((await orThrow(plans.disable(caller, "pro"))).isActive, false)
    strictEqual((await orThrow(plans.add(caller, { ...plan, price: 19 }))).isActive, false)
    strictEqual((await orThrow(plans.enable(caller, "pro"))).amount, 1900)
    deepStrictEqual((await orThrow(coupons.add(caller, coupon))).endsAt, Date.UTC(2030, 0, 1))
    await orThrow(coupons.add(caller, { code: "TWO", amount: 2, currency: "INR", until: new Date(8e12).toISOString() }))
    strictEqual(await orThrow(billing.checkCoupon("pro", "TEN")), 1.9)
    assertTrue(((await orThrow(coupons.disable(caller, "TEN"))).endsAt ?? Number.POSITIVE_INFINITY) <= Date.now())
    await orThrow(billing.putCustomer(caller, acme, { uniqueId: null, detail: { name: "Acme" } }))
    const { plan: activated } = await orThrow(
      billing.activate(caller, acme, { planId: "pro", uniqueId: null, coupon: "TWO" })
    )
    strictEqual(activated.id, "pro")
    await orThrow(extensions.add(caller, extension))
    deepStrictEqual(
      [await orThrow(plans.list()), await orThrow(coupons.list()), await orThrow(extensions.list())].map(
        (all) => all.length
      ),
      [1, 2, 1]
    )
    deepStrictEqual(
      (await orThrow(coupons.list())).map(({ used }) => used),
      [0, 1]
    )
  })

  it.each([
    ["plans.add", { ...plan, price: -1, interval: "week" }, ["VALIDATION_FAILED", "/price", "/interval"]],
    ["plans.add", { ...plan, currency: "USD" }, ["VALIDATION_FAILED", "/currency"]],
    ["plans.add", { ...plan, price: 1.001 }, ["VALIDATION_FAILED", "/price"]],
    ["plans.add", { ...plan, price: 9_999_999_999_999 }, ["VALIDATION_FAILED", "/price"]],
    ["plans.add", { ...plan, price: Number.NaN }, ["VALIDATION_FAILED", "/price"]],
    ["plans.add", { ...plan, name: "a\u0000" }, ["VALIDATION_FAILED", "/name"]],
    ["plans.disable", "max", ["NOT_FOUND"]],
    ["coupons.add", { ...coupon, amount: 1, currency: "INR" }, ["VALIDATION_FAILED", "/percent"]],
    ["coupons.add", { code: "NONE" }, ["VALIDATION_FAILED", "/percent"]],
    ["coupons.add", { ...coupon, plans: ["pro", "max"] }, ["VALIDATION_FAILED", "/plans/1"]],
    ["coupons.add", { ...coupon, until: "soon" }, ["VALIDATION_FAILED", "/until"]],
    [
      "coupons.add",
      { ...coupon, from: "2026-02-30", until: "9999-12-31T23:59-05:00" },
      ["VALIDATION_FAILED", "/from", "/until"]
    ],
    ["coupons.disable", "NOBODY", ["NOT_FOUND"]],
    ["extensions.add", { ...extension, companies: [1.5] }, ["VALIDATION_FAILED", "/companies/0"]]
  ])("%s rejects a wrong value with its place: %j", async (name, sent, expected) => {
    const [, , call] = calls.find(([one]) => one === name) ?? []
    deepStrictEqual(pathsOf((await call?.(host, system, sent as never)) as never), expected)
  })

  it.each(calls)(
    "%s answers any caller and value with a code of HTTP's, and stores only what reads back",
    (_, valid, call) => {
      const callers = [
        system,
        seller,
        bazaar,
        undefined,
        {},
        { principal: { kind: "platform_client" } }
      ] as ReadonlyArray<Caller>
      const spoiled = FastCheck.tuple(
        FastCheck.constantFrom(...Object.keys(typeof valid === "object" ? (valid as object) : { a: 1 })),
        FastCheck.anything({ withBigInt: false, withNullPrototype: false })
      ).map(([key, value]) => (typeof valid === "object" ? { ...valid, [key]: value } : value))
      return FastCheck.assert(
        FastCheck.asyncProperty(FastCheck.constantFrom(...callers), spoiled, async (caller, sent) => {
          const outcome = (await call(host, caller, sent as never)) as Outcome<unknown, { readonly code: string }>
          const code = outcome.ok ? "applied" : outcome.error.code
          const allowed =
            caller === system
              ? ["applied", "VALIDATION_FAILED", "NOT_FOUND", "MALFORMED_JSON", "FORBIDDEN_KEY"]
              : ["FORBIDDEN"]
          assertTrue(allowed.includes(code), `${code} ${JSON.stringify(sent)}`)
          const { coupons, extensions, plans } = host.services
          for (const all of [await plans.list(), await coupons.list(), await extensions.list()]) assertTrue(all.ok)
        }),
        { numRuns: runs(60) }
      )
    }
  )

  it("are rejected after the host was disposed of", async () => {
    const { host: over } = await start()
    await over.dispose()
    const { coupons, extensions, plans } = over.services
    for (const call of [
      ...calls.map(
        ([, valid, call]) =>
          () =>
            call(over, system, valid as never)
      ),
      plans.list,
      coupons.list,
      extensions.list
    ]) {
      const reason = await call().then(
        () => "answered",
        ({ message }: Error) => message
      )
      strictEqual(reason, "The host was disposed of. Make another one for further calls.")
    }
  })
})
