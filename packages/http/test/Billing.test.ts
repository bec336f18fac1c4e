import { describe, it } from "@effect/vitest"
import { assertFalse, assertMatch, assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Ajv2020 } from "ajv/dist/2020.js"
import { useHost } from "./TestHost.ts"

type Json = Readonly<Record<string, unknown>>

interface Subscription {
  readonly _id: string
  readonly status: string
  readonly company_id: unknown
  readonly line_items: ReadonlyArray<Json>
  readonly cancelled_on?: string
}

interface Answered extends Json {
  readonly message?: string
  readonly code?: string
  readonly errors?: ReadonlyArray<{ readonly path: string; readonly code: string; readonly message?: string }>
}

interface Invoice {
  readonly _id: string
  readonly number: string
  readonly subtotal: number
  readonly total: number
  readonly subscription: string
  readonly current_status: string
  readonly paid: boolean
  readonly invoice_items: ReadonlyArray<{ readonly type: string; readonly amount: number }>
}

interface Invoices {
  readonly data: ReadonlyArray<Invoice>
  readonly start: number
  readonly end: number
  readonly limit: number
  readonly page: number
  readonly total: number
}

const base = "/service/platform/billing/v1.0/company/1"
const ext = `${base}/extension/ext1`
const form = { "content-type": "application/x-www-form-urlencoded" }
const id24 = /^[0-9a-f]{24}$/

const line = (more: Json = {}) => ({
  name: "Sync",
  term: "Every month",
  pricing_type: "recurring",
  price: { amount: 499.5, currency_code: "INR" },
  recurring: { interval: "month" },
  ...more
})

const once = (more: Json = {}) => ({
  name: "Set-up",
  term: "Once",
  pricing_type: "one_time",
  price: { amount: 100, currency_code: "INR" },
  ...more
})

const subscription = (more: Json = {}) => ({
  name: "Stock <sync> & more",
  return_url: "https://seller.example/back?a=1&status=old#part",
  line_items: [line()],
  ...more
})

const charge = (more: Json = {}, item: Json = {}) => ({
  name: "Import",
  return_url: "http://seller.example/done",
  charge: once(item),
  ...more
})

describe("billing over HTTP", () => {
  const host = useHost()

  const post = <A = Answered>(path: string, body: unknown, headers: Record<string, string> = {}) =>
    host.ops.call<A>("POST", path, body, headers)
  const get = <A = Answered>(path: string) => host.ops.call<A>("GET", path)
  const created: Array<string> = []
  const create = async (more: Json = {}) => {
    const { body, status } = await post<{ subscription: Subscription; confirm_url: string }>(
      `${ext}/subscription`,
      subscription(more)
    )
    strictEqual(status, 200, JSON.stringify(body))
    created.push(body.subscription._id)
    return body
  }
  /** Cancels what earlier tests left running, so that none of it is credited. */
  const endAll = async () => {
    for (const one of created.splice(0)) await post(`${ext}/subscription/${one}/cancel`, undefined)
  }
  const pathOf = (url: string) => url.slice(new URL(url).origin.length)
  const decide = (url: string, decision: string) => host.send("POST", pathOf(url), form, `decision=${decision}`)
  const read = async <A = Subscription>(id: string) => (await get<A>(`${ext}/subscription/${id}`)).body
  const invoices = async () => (await get<Invoices>(`${base}/invoice/list?limit=100`)).body
  const until = async (done: () => Promise<boolean>) => {
    for (let tries = 0; tries < 100; tries++) {
      if (await done()) return
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    throw new Error("It never came")
  }

  it("a new subscription is pending, with a link that nobody can guess and without unset fields", async () => {
    const { confirm_url, subscription: made } = await create({ trial_days: 0 })
    assertMatch(made._id, id24)
    strictEqual(made.company_id, 1)
    strictEqual(made.status, "pending")
    assertMatch(confirm_url, new RegExp(`^${host.url}/billing/confirm/[0-9a-f]{64}$`))
    const [item] = made.line_items
    const { _id, ...rest } = item as Json & { _id: string }
    assertMatch(_id, id24)
    deepStrictEqual(rest, {
      name: "Sync",
      term: "Every month",
      pricing_type: "recurring",
      price: { amount: 499.5, currency_code: "INR" },
      recurring: { interval: "month" },
      status: "pending",
      is_test: false
    })
    for (const key of ["activated_on", "cancelled_on", "trial_period", "metadata"]) strictEqual(key in made, false, key)
    deepStrictEqual((await read(made._id)) as unknown, made)
  })

  it("each documented error for charges has its status and message", async () => {
    const two = subscription({ line_items: [line(), line()] })
    const bare = subscription({ line_items: [line({ recurring: undefined })] })
    for (const [path, body, status, message] of [
      [`${ext}/subscription`, two, 400, "Multiple `recurring charges` not allowed"],
      [`${ext}/subscription`, bare, 400, "Missing `recurring` field"],
      [`${ext}/one_time_charge`, charge({}, { pricing_type: "recurring" }), 400, "Missing `one_time` field"],
      [`${ext}/one_time_charge`, charge({}, { pricing_type: "once" }), 400, "Missing `one_time` field"],
      [`${ext}/one_time_charge`, charge({}, { pricing_type: undefined }), 400, "Missing `one_time` field"],
      [`${ext}/subscription/${"0".repeat(24)}/cancel`, undefined, 404, "Subscription not found"]
    ] as const) {
      const answer = await post(path, body)
      deepStrictEqual([answer.status, answer.body.message], [status, message])
    }
    for (const [path, message] of [
      [`${ext}/subscription/${"0".repeat(24)}`, "Subscription not found"],
      [`${ext}/charge/${"0".repeat(24)}`, "Charge not found"],
      [`${base}/invoice/${"0".repeat(24)}`, "Invoice not found"]
    ]) {
      const answer = await get(path ?? "")
      deepStrictEqual([answer.status, answer.body.message, answer.body.code], [404, message, "NOT_FOUND"])
    }
    const unknown = await post(`${base}/extension/ext2/subscription`, subscription())
    deepStrictEqual([unknown.status, unknown.body.code], [404, "NOT_FOUND"])
  })

  const rejectionOf = async (count: number) => {
    const line_items = Array.from({ length: count }, () => line())
    const { body, status } = await post(`${ext}/subscription`, subscription({ line_items }))
    return [status, body.code, body.errors?.map(({ path }) => path)]
  }

  it("a charge without line items is EMPTY_REQUEST", async () => {
    deepStrictEqual(await rejectionOf(0), [400, "EMPTY_REQUEST", ["/line_items"]])
  })

  it("a charge with too many line items is TOO_MANY_RECORDS", async () => {
    deepStrictEqual(await rejectionOf(101), [400, "TOO_MANY_RECORDS", ["/line_items"]])
  })

  it("a trial on the line and another on the subscription contradict each other", async () => {
    const trials = (ofLine: number | undefined, own: number | undefined) =>
      post(`${ext}/subscription`, subscription({ line_items: [line({ trial_days: ofLine })], trial_days: own }))
    for (const [ofLine, own] of [
      [14, 7],
      [14, 0],
      [0, 7]
    ] as const) {
      const { body, status } = await trials(ofLine, own)
      deepStrictEqual(
        [status, body.code, body.errors?.map(({ path }) => path)],
        [400, "VALIDATION_FAILED", ["/line_items/0/trial_days"]]
      )
    }
    for (const [ofLine, own] of [
      [14, 14],
      [14, undefined],
      [undefined, 14]
    ] as const) {
      const { body } = await trials(ofLine, own)
      strictEqual((body as { subscription?: { trial_days?: number } }).subscription?.trial_days, 14)
    }
  })

  it("all violations in a charge are reported at once, and no amount is rounded", async () => {
    for (const [body, paths] of [
      [{}, ["/line_items", "/name", "/return_url"]],
      [subscription({ return_url: "javascript:alert(1)" }), ["/return_url"]],
      [subscription({ return_url: "/back" }), ["/return_url"]],
      [subscription({ return_url: "https://user:pass@seller.example/" }), ["/return_url"]],
      [subscription({ return_url: "https://:pass@seller.example/" }), ["/return_url"]],
      [subscription({ trial_days: -1 }), ["/trial_days"]],
      [subscription({ line_items: [line({ pricing_type: "free" })] }), ["/line_items/0/pricing_type"]],
      [subscription({ line_items: [line({ recurring: { interval: "day" } })] }), ["/line_items/0/recurring/interval"]],
      [
        subscription({ line_items: [line({ price: { amount: 1.005, currency_code: "INR" } })] }),
        ["/line_items/0/price/amount"]
      ],
      [
        subscription({ line_items: [line({ price: { amount: 0.5, currency_code: "INR" } })] }),
        ["/line_items/0/price/amount"]
      ],
      [
        subscription({ line_items: [line({ price: { amount: 5, currency_code: "XXX" } })] }),
        ["/line_items/0/price/currency_code"]
      ],
      [
        subscription({ line_items: [line({ price: { amount: 5, currency_code: "XXX" }, capped_amount: 9 })] }),
        ["/line_items/0/price/currency_code"]
      ],
      [
        subscription({ line_items: [line(), once({ price: { amount: 5, currency_code: "USD" } })] }),
        ["/line_items/1/price/currency_code"]
      ]
    ] as const) {
      const answer = await post(`${ext}/subscription`, body)
      deepStrictEqual([answer.status, answer.body.code], [400, "VALIDATION_FAILED"])
      deepStrictEqual(answer.body.errors?.map(({ path }) => path).sort(), [...paths])
    }
  })

  it("the confirm page shows the escaped name, lines and price without a script, and may only post to itself and redirect back", async () => {
    const { confirm_url } = await create({ line_items: [line({ name: '<img src="x">' }), once()], trial_days: 7 })
    const page = await host.send("GET", pathOf(confirm_url))
    strictEqual(page.status, 200)
    assertMatch(page.headers["content-type"] ?? "", /^text\/html/)
    for (const shown of [
      "Stock &lt;sync&gt; &amp; more",
      "&lt;img src=&quot;x&quot;&gt;",
      "INR 499.50 a month",
      "INR 100.00 once",
      "Trial</dt><dd>7 days. Nothing of it is charged before ",
      "Due today</dt><dd>INR 0.00</dd>",
      "<strong>Extension 1</strong> asks <strong>Acme Retail</strong> to pay",
      "If you accept, Acme Retail pays nothing now and agrees to the later payments above until the subscription is cancelled.",
      "You then go back to seller.example. This request expires on ",
      "Declining costs nothing",
      'name="decision" value="accept"',
      'name="decision" value="decline"',
      '<html lang="en">'
    ]) {
      assertTrue(page.text.includes(shown), shown)
    }
    strictEqual(/<script|<img|onclick/i.test(page.text), false)
    strictEqual(
      page.headers["content-security-policy"],
      "default-src 'none'; style-src 'unsafe-inline'; form-action 'self' https://seller.example; base-uri 'none'; frame-ancestors 'none'"
    )
    strictEqual(page.headers["referrer-policy"], "no-referrer")
    strictEqual(page.headers["cache-control"], "no-store")
    const unknown = await host.send("GET", `/billing/confirm/${"0".repeat(64)}`)
    deepStrictEqual([unknown.status, unknown.body.code], [404, "NOT_FOUND"])
  })

  it("the confirm page promises a limit of what is used only where every line has one", async () => {
    const usage = (more: object = {}) => line({ name: "Messages", pricing_type: "usage", recurring: null, ...more })
    const shown = async (...lines: ReadonlyArray<object>) => {
      const { confirm_url } = await create({ line_items: lines })
      return (await host.send("GET", pathOf(confirm_url))).text
    }
    const capped = await shown(line(), usage({ capped_amount: 500 }))
    for (const text of ["up to the limits below", "by use, at most INR 500.00 a month", "and what is used until then"])
      assertTrue(capped.includes(text), text)
    const open = await shown(line(), usage({ capped_amount: 500 }), usage({ name: "Calls" }))
    assertTrue(
      open.includes("There is no limit to what some of it may cost") && open.includes("by use, without a limit")
    )
    assertFalse(open.includes("up to the limits"))
    assertTrue((await shown(usage())).includes("Next payment</dt><dd>What is used until then, on "))
  })

  it("the confirm page of a test asks for nothing, and accepting it charges nothing", async () => {
    const before = (await invoices()).total
    const { confirm_url } = await create({ is_test: true, line_items: [line(), once()] })
    const { text } = await host.send("GET", pathOf(confirm_url))
    assertTrue(text.includes("This is a test. Nothing will be charged.") && text.includes(">Accept</button>"))
    assertTrue(text.includes("Due today</dt><dd>INR 0.00</dd>") && !text.includes("Next payment"))
    await decide(confirm_url, "accept")
    const single = await post<{ confirm_url: string }>(`${ext}/one_time_charge`, charge({ is_test: true }))
    strictEqual((await decide(single.body.confirm_url, "accept")).headers.location?.includes("status=success"), true)
    strictEqual((await invoices()).total, before)
    const partly = await create({ line_items: [line(), once({ is_test: true })] })
    assertTrue((await host.send("GET", pathOf(partly.confirm_url))).text.includes("A test: not charged"))
    await endAll()
  })

  it("the confirm page says what is due today and next exactly as it is invoiced, who asks whom, and what is replaced", async () => {
    const { confirm_url, subscription: first } = await create({ name: "Old terms", trial_days: 0 })
    const page = await host.send("GET", pathOf(confirm_url))
    const today = /Due today<\/dt><dd>INR ([0-9.]+)/.exec(page.text)?.[1]
    const next = /Next payment<\/dt><dd>INR ([0-9.]+), on (\d+ \w+ \d{4})/.exec(page.text)
    strictEqual(today, "499.50")
    strictEqual(next?.[1], "499.50")
    assertTrue(page.text.includes("After that</dt><dd>Every month at the prices below, until it is cancelled"))
    assertTrue(page.text.includes(`Accept and pay INR ${today}`))
    assertTrue(page.text.includes("pays INR 499.50 now and agrees to the later payments above"))
    await decide(confirm_url, "accept")
    const other = await create({ name: "New terms", trial_days: 0 })
    const offer = await host.send("GET", pathOf(other.confirm_url))
    assertTrue(offer.text.includes("Replaces</dt><dd>Old terms"))
    const accepted = await host.send("GET", pathOf(confirm_url))
    assertTrue(accepted.text.includes("This charge was accepted.") && !accepted.text.includes("<form"))
    strictEqual(typeof first._id, "string")
  })

  it("a decision redirects back with id and status, and only the first one counts", async () => {
    for (const [first, status, second] of [
      ["accept", "active", "decline"],
      ["decline", "declined", "accept"]
    ] as const) {
      const { confirm_url, subscription: made } = await create()
      for (const decision of [first, second, first]) {
        const answer = await decide(confirm_url, decision)
        strictEqual(answer.status, 303)
        strictEqual(
          answer.headers.location,
          `https://seller.example/back?a=1&status=${status}&subscription_id=${made._id}#part`
        )
      }
      const page = await host.send("GET", pathOf(confirm_url))
      strictEqual(page.text.includes("<form"), false)
      const after = await read(made._id)
      strictEqual(after.status, status)
      strictEqual("activated_on" in after, status === "active")
    }
  })

  it("an invalid decision is rejected and decides nothing", async () => {
    const { confirm_url, subscription: made } = await create()
    for (const decision of ["", "maybe", "accept&decision=maybe"]) {
      const answer = await decide(confirm_url, decision)
      deepStrictEqual([answer.status, answer.body.code], [400, "VALIDATION_FAILED"])
    }
    const plain = await host.send("POST", pathOf(confirm_url), { "content-type": "text/plain" }, "decision=accept")
    strictEqual(plain.status, 415)
    strictEqual((await read(made._id)).status, "pending")
  })

  it("cancel accepts a POST with a form content type and no body; a second cancel is rejected with the documented message", async () => {
    const { subscription: made } = await create()
    const path = `${ext}/subscription/${made._id}/cancel`
    const cancelled = await post(path, undefined, { ...form, "content-length": "0" })
    strictEqual(cancelled.status, 200)
    strictEqual(cancelled.body.status, "cancelled")
    assertMatch(String(cancelled.body.cancelled_on), /^\d{4}-\d\d-\d\dT/)
    deepStrictEqual(
      (cancelled.body.line_items as ReadonlyArray<Json>).map(({ status }) => status),
      ["cancelled"]
    )
    const again = await post(path, undefined, form)
    deepStrictEqual(
      [again.status, again.body.message, again.body.code],
      [400, "Subscription is already cancelled", "VALIDATION_FAILED"]
    )
  })

  it("a declined subscription can't be cancelled, with a message other than that of a second cancel", async () => {
    const { confirm_url, subscription: made } = await create()
    await decide(confirm_url, "decline")
    const answer = await post(`${ext}/subscription/${made._id}/cancel`, undefined)
    deepStrictEqual([answer.status, answer.body.code], [400, "VALIDATION_FAILED"])
    strictEqual(answer.body.message === "Subscription is already cancelled", false)
  })

  it("a subscription of another company or another extension is not found", async () => {
    const { subscription: made } = await create()
    const path = `/extension/ext1/subscription/${made._id}`
    for (const [api, at, method] of [
      [host.globexOps, `${base.replace(/1$/, "2")}${path}`, "GET"],
      [host.globexOps, `${base.replace(/1$/, "2")}${path}/cancel`, "POST"],
      [host.ops, `${base}${path.replace("ext1", "ext2")}`, "GET"]
    ] as const) {
      const answer = await api.call<Answered>(method, at)
      deepStrictEqual([answer.status, answer.body.message], [404, "Subscription not found"])
    }
    const other = await get(`${ext}/charge/${made._id}`)
    deepStrictEqual([other.status, other.body.message], [404, "Charge not found"])
  })

  it("an accepted subscription is invoiced at once and paid soon; with a trial nothing is due yet", async () => {
    await endAll()
    const before = (await invoices()).total
    const trial = await create({ trial_days: 10 })
    await decide(trial.confirm_url, "accept")
    strictEqual((await invoices()).total, before)
    const started = await read<{ trial_days: number; trial_period: { start_date: string; end_date: string } }>(
      trial.subscription._id
    )
    strictEqual(started.trial_days, 10)
    const days = Date.parse(started.trial_period.end_date) - Date.parse(started.trial_period.start_date)
    strictEqual(days, 10 * 86_400_000)
    const made = await create({ line_items: [line(), once()] })
    await decide(made.confirm_url, "accept")
    strictEqual((await read(trial.subscription._id)).status, "cancelled")
    const found = (await invoices()).data.find((one) => one.subscription === made.subscription._id)
    strictEqual(found?.total, 599.5)
    deepStrictEqual(
      found?.invoice_items.map(({ amount, type }) => [type, amount]),
      [
        ["subscription", 499.5],
        ["one_time", 100]
      ]
    )
    await until(async () => {
      const { body } = await get<{ invoice: Invoice & { status_trail: ReadonlyArray<Json> } }>(
        `${base}/invoice/${found?._id}`
      )
      strictEqual(
        body.invoice.status_trail.every(({ _id }) => /^[0-9a-f]{24}$/.test(String(_id))),
        true
      )
      return body.invoice.paid && body.invoice.status_trail.length === 2
    })
  })

  it("a new subscription of the same extension ends the old one and credits its unused days", async () => {
    await endAll()
    const old = await create({ line_items: [line({ price: { amount: 300, currency_code: "INR" } })] })
    await decide(old.confirm_url, "accept")
    const isPaid = async () =>
      (await invoices()).data.find((one) => one.subscription === old.subscription._id)?.current_status === "paid"
    await until(isPaid)
    const next = await create({ line_items: [line({ price: { amount: 1000, currency_code: "INR" } })] })
    await decide(next.confirm_url, "accept")
    strictEqual((await read(old.subscription._id)).status, "cancelled")
    strictEqual((await read(next.subscription._id)).status, "active")
    const found = (await invoices()).data.find((one) => one.subscription === next.subscription._id)
    const credit = found?.invoice_items.find(({ type }) => type === "credit")?.amount ?? 0
    // At most one day of the 28 to 31 paid ones has begun.
    assertTrue(credit <= -289 && credit >= -300, String(credit))
    strictEqual(found?.total, 1000 + credit)
    strictEqual(found?.subtotal, 1000)
  })

  it("a charge in another currency than the running subscription can be declined only, and its page says why", async () => {
    await endAll()
    const rupees = await create({ name: "In rupees" })
    const dollars = await create({ line_items: [line({ price: { amount: 40, currency_code: "USD" } })] })
    await decide(rupees.confirm_url, "accept")
    const page = await host.send("GET", pathOf(dollars.confirm_url))
    assertTrue(page.text.includes("<strong>It can't be accepted now.</strong> In rupees is running"), page.text)
    deepStrictEqual([page.text.includes('value="accept"'), page.text.includes('value="decline"')], [false, true])
    const rejected = await decide(dollars.confirm_url, "accept")
    deepStrictEqual([rejected.status, rejected.body.code], [409, "CONFLICT"])
    assertMatch(rejected.body.message ?? "", /In rupees .* INR/)
    strictEqual((await decide(dollars.confirm_url, "decline")).status, 303)
    deepStrictEqual(
      [(await read(rupees.subscription._id)).status, (await read(dollars.subscription._id)).status],
      ["active", "declined"]
    )
  })

  it("a one-time charge is accepted or declined on its page, and is a success once accepted", async () => {
    for (const [decision, status] of [
      ["accept", "success"],
      ["decline", "declined"]
    ] as const) {
      const answer = await post<{ charge: Json & { _id: string }; confirm_url: string }>(
        `${ext}/one_time_charge`,
        charge({}, { metadata: { order: 7 } })
      )
      strictEqual(answer.status, 200)
      const { charge: made, confirm_url } = answer.body
      const { _id, ...rest } = made
      assertMatch(_id, id24)
      deepStrictEqual(rest, {
        name: "Import",
        status: "pending",
        entity_type: "extension",
        entity_id: "ext1",
        subscriber_id: "1",
        pricing_type: "one_time",
        price: { amount: 100, currency_code: "INR" },
        is_test: false,
        return_url: "http://seller.example/done",
        metadata: { order: 7 }
      })
      const decided = await decide(confirm_url, decision)
      strictEqual(decided.headers.location, `http://seller.example/done?charge_id=${_id}&status=${status}`)
      strictEqual((await get(`${ext}/charge/${_id}`)).body.status, status)
      const billed = (await invoices()).data.filter((one) => one.subscription === _id)
      deepStrictEqual(
        billed.map(({ total }) => total),
        status === "success" ? [100] : []
      )
    }
  })

  it("a coupon that fits the plan reduces the price; any other is an invalid coupon", async () => {
    const path = `${base}/coupon/check-validity`
    const good = await get(`${path}?plan=basic&coupon_code=WELCOME10`)
    deepStrictEqual([good.status, good.body as unknown], [200, { is_valid: true, discount_amount: 99.9 }])
    deepStrictEqual((await get(`${path}?plan=growth&coupon_code=WELCOME10`)).body.discount_amount, 499.9)
    for (const query of ["plan=basic&coupon_code=EXPIRED", "plan=basic&coupon_code=x"]) {
      const answer = await get(`${path}?${query}`)
      deepStrictEqual([answer.status, answer.body.message], [400, "Invalid coupon"])
    }
    const noPlan = await get(`${path}?plan=x&coupon_code=WELCOME10`)
    deepStrictEqual(
      [noPlan.status, noPlan.body.message, noPlan.body.errors?.[0]?.path],
      [400, "There is no plan x. Send one of these: basic, growth.", "/plan"]
    )
    for (const query of ["", "?plan=basic", "?coupon_code=WELCOME10"]) {
      const answer = await get(`${path}${query}`)
      deepStrictEqual([answer.status, answer.body.code], [400, "VALIDATION_FAILED"])
    }
  })

  it("customer detail is not found until it is set; fields left out of a later request keep their values", async () => {
    const path = `${base.replace(/1$/, "2")}/subscription/customer-detail`
    const call = <A>(method: string, body?: unknown) => host.globexOps.call<A & Answered>(method, path, body)
    const { body } = await call<{ readonly errors: ReadonlyArray<Json> }>("GET")
    deepStrictEqual(
      [body.message, body.errors[0]?.message],
      [
        "Customer not found",
        "The company has no customer details yet. Send them with POST …/subscription/customer-detail."
      ]
    )
    const activate = await host.globexOps.call<Answered>("POST", path.replace("customer-detail", "activate"), {
      plan_id: "basic"
    })
    deepStrictEqual([activate.status, activate.body.message], [404, "Customer not found"])
    const phone = { phone_country_code: "91", phone_number: "9845000000" }
    const saved = await call<Json>("POST", { unique_id: "2", type: "company", name: "Globex", phone })
    strictEqual(saved.status, 200)
    const { _id, created_at, data, modified_at, ...rest } = saved.body as Json & { _id: string }
    deepStrictEqual(rest as unknown, { unique_id: "2", type: "company", name: "Globex", phone })
    deepStrictEqual(data, { id: _id, pg_user_exists: false })
    const more = await call<Json>("POST", { email: "pay@globex.example", billing_address: { city: "Delhi" } })
    strictEqual(more.body._id, _id)
    strictEqual(more.body.created_at, created_at)
    deepStrictEqual([more.body.name, more.body.email, more.body.phone], ["Globex", "pay@globex.example", phone])
    const read = await call<Json>("GET")
    deepStrictEqual(read.body as unknown, more.body)
    for (const [body, status] of [
      [{ unique_id: "1" }, 404],
      [{ phone: { phone_country_code: 91 } }, 400],
      [[], 400]
    ] as const) {
      strictEqual((await call("POST", body)).status, status)
    }
  })

  it("a plan can be activated, changed and read, with its trial, price, limits and gap-free invoices", async () => {
    const detail = `${base}/subscription/customer-detail`
    const activate = (body: unknown) => post(`${base}/subscription/activate`, body)
    const none = await get(`${base}/subscription/current`)
    deepStrictEqual(none.body as unknown, { is_enabled: false, message: "Subscription not enabled" })
    const nothing = await get(`${base}/subscription/current-limit?product_suite=x&type=company`)
    deepStrictEqual([nothing.status, nothing.body.marketplace], [200, { enabled: false }])
    strictEqual((await activate({ plan_id: "basic" })).body.message, "Customer not found")
    await post(detail, { name: "Acme", billing_address: { line1: "1 Road", city: "Bengaluru" } })
    for (const [body, status, code] of [
      [{}, 400, "VALIDATION_FAILED"],
      [{ plan_id: "nothing" }, 404, "NOT_FOUND"],
      [{ plan_id: "basic", unique_id: "2" }, 404, "NOT_FOUND"],
      [{ plan_id: "basic", coupon_code: "EXPIRED" }, 400, "VALIDATION_FAILED"]
    ] as const) {
      const answer = await activate(body)
      deepStrictEqual([answer.status, answer.body.code], [status, code])
    }
    const faultOf = async (body: object) => (await activate(body)).body.errors?.[0]
    deepStrictEqual(await faultOf({ plan_id: "basic", unique_id: "2" }), {
      path: "/unique_id",
      code: "NOT_FOUND",
      message: "The unique_id must be the id of the company in the path. Send that one, or leave it out."
    })
    for (const [coupon_code, message] of [
      [
        "NONE",
        "There is no coupon NONE; capitals count. Ask the platform for a code, or activate the plan without one."
      ],
      ["EXPIRED", "Coupon EXPIRED can't be used for the plan basic at this time. Send another one."]
    ] as const)
      deepStrictEqual(await faultOf({ plan_id: "basic", coupon_code }), {
        path: "/coupon_code",
        code: "INVALID_VALUE",
        message
      })
    deepStrictEqual((await activate({ plan_id: "nothing" })).body.errors, [
      { path: "/plan_id", code: "NOT_FOUND", message: "There is no plan nothing. Send one of these: basic, growth." }
    ])
    const before = (await invoices()).total
    const basic = await activate({ plan_id: "basic", unique_id: "1", type: "company", product_suite: "x" })
    strictEqual(basic.status, 200)
    strictEqual(basic.body.success, true)
    const data = basic.body.data as Json
    deepStrictEqual([data.current_status, data.is_active, data.plan_id], ["active", true, "basic"])
    const trial = data.trial as { start: string; end: string }
    strictEqual(Date.parse(trial.end) - Date.parse(trial.start), 14 * 86_400_000)
    strictEqual((await invoices()).total, before)
    const same = await activate({ plan_id: "basic" })
    strictEqual((same.body.data as Json)._id, data._id)
    const limits = (await get(`${base}/subscription/current-limit`)).body
    strictEqual(limits.is_trial_plan, true)
    deepStrictEqual(limits.application, { enabled: true, hard_limit: 5, soft_limit: 5 })
    const current = (await get(`${base}/subscription/current`)).body
    deepStrictEqual([current.is_enabled, current.mandate_amount], [true, "999.00"])
    strictEqual((current.subscription as Json)._id, data._id)
    strictEqual("latest_invoice" in current, false)
  })

  it("a plan without a trial is invoiced at once, less its coupon; the invoices of a year are numbered without gaps", async () => {
    const path = "/service/platform/billing/v1.0/company/2"
    const call = <A>(method: string, at: string, body?: unknown) => host.globexOps.call<A>(method, `${path}${at}`, body)
    const activated = await call<Json>("POST", "/subscription/activate", {
      plan_id: "growth",
      coupon_code: "WELCOME10"
    })
    strictEqual(activated.status, 200, JSON.stringify(activated.body))
    const listed = (await call<Invoices>("GET", "/invoice/list")).body
    deepStrictEqual([listed.start, listed.end, listed.limit, listed.page, listed.total], [0, 10, 10, 1, 1])
    const [invoice] = listed.data
    strictEqual(invoice?.number, `INV-${new Date().getUTCFullYear()}-000001`)
    deepStrictEqual([invoice?.subtotal, invoice?.total], [4999, 4499.1])
    deepStrictEqual(
      invoice?.invoice_items.map(({ amount, type }) => [type, amount]),
      [
        ["subscription", 4999],
        ["discount", -499.9]
      ]
    )
    const one = (await call<{ invoice: Json; invoice_items: ReadonlyArray<Json> }>("GET", `/invoice/${invoice?._id}`))
      .body
    deepStrictEqual(one.invoice.client, {
      name: "Globex",
      email: "pay@globex.example",
      phone: "91 9845000000",
      address_lines: ["Delhi"]
    })
    strictEqual(one.invoice_items.length, 2)
    const foreign = await get(`${base}/invoice/${invoice?._id}`)
    deepStrictEqual([foreign.status, foreign.body.message], [404, "Invoice not found"])
    const all = (await invoices()).data.map(({ number }) => number).reverse()
    const year = new Date().getUTCFullYear()
    deepStrictEqual(
      all,
      all.map((_, nth) => `INV-${year}-${String(nth + 1).padStart(6, "0")}`)
    )
    assertTrue(all.length >= 3)
    const second = (await get<Invoices>(`${base}/invoice/list?page=2&limit=2`)).body
    deepStrictEqual([second.start, second.end, second.page, second.data[0]?.number], [2, 4, 2, all.at(-3)])
    strictEqual((await get(`${base}/invoice/list?limit=0`)).status, 400)
  })

  it("answers match the OpenAPI document field by field", async () => {
    const document = (await get<Json>("/openapi/platform.json")).body
    const ajv = new Ajv2020({ strict: false })
    ajv.addSchema(document, "document")
    const valid = (name: string, value: unknown) => {
      const isValid = ajv.compile({ $ref: `document#/components/schemas/${name}` })
      assertTrue(isValid(value), `${name}: ${JSON.stringify(isValid.errors)}`)
    }
    const made = (await create()).subscription._id
    valid("EntitySubscription", await read(made))
    valid("SubscriptionCustomer", (await get(`${base}/subscription/customer-detail`)).body)
    valid("Subscription", (await get(`${base}/subscription/current`)).body.subscription)
    valid("SubscriptionLimit", (await get(`${base}/subscription/current-limit`)).body)
    const { data } = await invoices()
    assertTrue(data.length > 0)
    for (const { invoice_items, ...invoice } of data) {
      valid("InvoiceDetails", invoice)
      for (const item of invoice_items) valid("InvoiceItems", item)
    }
    const { schemas } = document.components as { schemas: Record<string, { properties: object }> }
    deepStrictEqual(Object.keys(schemas.SubscriptionLimit?.properties ?? {}).sort(), [
      "application",
      "extensions",
      "integrations",
      "is_trial_plan",
      "marketplace",
      "other_platform",
      "products",
      "team"
    ])
  })

  it("a create resent with the same Idempotency-Key makes one subscription", async () => {
    const ids = new Set<string>()
    for (let n = 0; n < 2; n++) {
      const answer = await post(`${ext}/subscription`, subscription(), { "idempotency-key": "bill-1" })
      ids.add((answer.body.subscription as Json)._id as string)
    }
    strictEqual(ids.size, 1)
  })

  it("every billing change leaves an audit record without links", async () => {
    const { confirm_url, subscription: made } = await create()
    await decide(confirm_url, "accept")
    const logs = "/service/platform/audit-trail/v1.0/company/1/logs"
    const { body } = await get<{ docs: ReadonlyArray<{ entity: Json; recorded_by: Json }> }>(
      `${logs}?qs=entity.id:${made._id}`
    )
    deepStrictEqual(
      body.docs.map(({ entity, recorded_by }) => [entity.action, recorded_by.id]),
      [
        ["accept", "confirm-page"],
        ["create", "ops"]
      ]
    )
    strictEqual(JSON.stringify(body).includes(confirm_url.slice(-64)), false)
  })

  it("an audit record shows the totals of invoices as decimal numbers", async () => {
    const { body } = await post<{ charge: { _id: string }; confirm_url: string }>(`${ext}/one_time_charge`, charge())
    await decide(body.confirm_url, "accept")
    const found = await get<{
      docs: ReadonlyArray<{ logs: { response: { invoices?: ReadonlyArray<Pick<Invoice, "total">> } } }>
    }>(`/service/platform/audit-trail/v1.0/company/1/logs?qs=entity.id:${body.charge._id}%20entity.action:accept`)
    const [accepted] = found.body.docs
    const { invoices } = accepted?.logs.response ?? {}
    deepStrictEqual(
      invoices?.map(({ total }) => total),
      [100]
    )
  })

  it("an e-mail address of a customer must be one", async () => {
    const detail = "/service/platform/billing/v1.0/company/2/subscription/customer-detail"
    const put = (email: unknown) => host.globexOps.call<Answered>("POST", detail, { name: "Globex", email })
    const { body, status } = await put("nope")
    deepStrictEqual([status, body.code, body.errors?.[0]?.path], [400, "VALIDATION_FAILED", "/email"])
    for (const email of ["a@b", "münchen@post.example", "", null]) strictEqual((await put(email)).status, 200)
  })

  it("the confirm page names the company and the name on its invoices", async () => {
    await post(`${base}/subscription/customer-detail`, { name: "Acme Retail & Sons" })
    const { confirm_url } = await create()
    const { text } = await host.send("GET", pathOf(confirm_url))
    assertTrue(text.includes("asks <strong>Acme Retail</strong> to pay"))
    assertTrue(text.includes("Invoices</dt><dd>From Crossdock to Acme Retail &amp; Sons</dd>"))
  })
})
