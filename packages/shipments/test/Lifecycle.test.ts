import {
  type AnyStatus,
  Lifecycle,
  type OperationalStatus,
  operationalStatuses,
  type Shipment
} from "@crossdock/shipments"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Result } from "effect"
import * as FastCheck from "fast-check"
import { prop } from "../../kernel/test/prop.ts"
import { asks, expectedCode, expectedStatus, finalStatuses, type Situation, situations } from "./ExpectedMoves.ts"
import { ask, at, later, make, placed, rejection, standing } from "./Fixtures.ts"

const of = (situation: Situation): Shipment => standing(situation.status, situation)

describe("Every status and every operation", () => {
  for (const status of operationalStatuses) {
    it(`${status} answers every operation as the reference says`, () => {
      for (const situation of situations.filter((one) => one.status === status)) {
        const shipment = of(situation)
        for (const [asked, command] of Object.entries(asks)) {
          const where = `${JSON.stringify(situation)} asked ${asked}`
          const expected = expectedStatus(situation, asked)
          const answer = Lifecycle.move(shipment, command, later)
          if (expected === undefined) {
            assertTrue(Result.isFailure(answer), `${where} should be rejected`)
            strictEqual(answer.failure.code, expectedCode(situation, asked), where)
            strictEqual(answer.failure.details.current, status, where)
            assertTrue(answer.failure.message.includes(status), where)
            if (asked.startsWith("status:")) {
              for (const to of answer.failure.details.allowed) assertTrue(answer.failure.message.includes(to), where)
              strictEqual(answer.failure.details.reason, "INVALID_TRANSITION", where)
              assertTrue(answer.failure.message.includes(asked.split(":")[1] ?? "?"), where)
            }
          } else {
            assertTrue(Result.isSuccess(answer), `${where} should be allowed`)
            strictEqual(answer.success.shipment.status, expected, where)
          }
        }
      }
    })
  }

  it("a locked shipment rejects every move and can be unlocked", () => {
    for (const situation of situations) {
      const locked = { ...of(situation), locked: true }
      for (const command of Object.values(asks)) strictEqual(rejection(locked, command).code, "SHIPMENT_LOCKED")
      deepStrictEqual(make(locked, ask.unlock).shipment.locked, false)
    }
  })

  it("a rejection lists the statuses that its party may report", () => {
    for (const situation of situations) {
      for (const by of ["seller", "marketplace"] as const) {
        const reportable = operationalStatuses.filter(
          (target) => target !== situation.status && expectedStatus(situation, `status:${target}:${by}`) !== undefined
        )
        deepStrictEqual(Lifecycle.allowedTargets(of(situation), by), reportable)
      }
    }
  })
})

describe("The table", () => {
  const leads = (from: AnyStatus): ReadonlyArray<AnyStatus> => {
    const row = Lifecycle.standard.rows[from] ?? {}
    const { status = {}, ...operations } = row
    return [
      ...Object.values(operations).map(({ to }) => to),
      ...operationalStatuses.filter((target) => target in status)
    ]
  }

  it("reaches every status from placed", () => {
    const seen = new Set<AnyStatus>(["placed"])
    for (const from of seen) for (const to of leads(from)) seen.add(to)
    deepStrictEqual([...seen].sort(), [...operationalStatuses].sort())
  })

  it("ends only in final statuses", () => {
    const final = operationalStatuses.filter((from) =>
      leads(from).every((to) => to === from || to === "return_initiated")
    )
    deepStrictEqual([...final].sort(), [...finalStatuses].sort())
  })
})

describe("Random commands", () => {
  const commands = FastCheck.array(FastCheck.constantFrom(...Object.entries(asks)), { maxLength: 30 })
  const ships = FastCheck.constantFrom("seller" as const, "courier" as const, "marketplace" as const)

  prop("table, decide and evolve agree", [ships, commands], ([who, sequence]) => {
    let shipment = placed(who)
    for (const [asked, command] of sequence) {
      const decided = Lifecycle.decide(shipment, command, later)
      const moved = Lifecycle.move(shipment, command, later)
      strictEqual(Result.isSuccess(decided), Result.isSuccess(moved))
      if (Result.isFailure(decided) || Result.isFailure(moved)) continue
      const evolved = decided.success.reduce(Lifecycle.evolve, shipment)
      deepStrictEqual(moved.success.shipment, evolved)
      deepStrictEqual(moved.success.events, decided.success)
      strictEqual(moved.success.unchanged, decided.success.length === 0)
      strictEqual(evolved.version, shipment.version + decided.success.length)
      strictEqual(evolved.events.at(-1)?.status, evolved.status)
      const situation: Situation = {
        status: shipment.status as OperationalStatus,
        ships: who,
        way: shipment.events.some(({ status }) => status.startsWith("rto")) ? "rto" : "out",
        invoiced: shipment.invoice !== null,
        credited: shipment.creditNote !== null
      }
      const settled = asked === "qcPart" && evolved.items.every((line) => line.good + line.bad === line.ordered)
      const isAllCancelled = asked === "cancelPart" && evolved.status === "cancelled_seller"
      if (!settled && !isAllCancelled) strictEqual(evolved.status, expectedStatus(situation, asked), asked)
      shipment = evolved
    }
  })

  prop("a shipment is equal to itself after JSON", [ships, commands], ([who, sequence]) => {
    const after = sequence.reduce(
      (now, [, command]) =>
        Result.getOrElse(
          Result.map(Lifecycle.move(now, command, at), (_) => _.shipment),
          () => now
        ),
      placed(who)
    )
    deepStrictEqual(JSON.parse(JSON.stringify(after)), after)
  })
})
