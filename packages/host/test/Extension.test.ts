/**
 * What a host adds to the rules, by an option of `Host.make`: HTTP and calls in process answer alike, and no other host knows of
 * it.
 */
import { allOrThrow, orThrow } from "@crossdock/host"
import { extendLifecycle, Lifecycle } from "@crossdock/shipments"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Result } from "effect"
import { seller, setupError, start } from "./Shop.ts"

const closed = {
  says: "the warehouse is closed",
  advice: "Wait until it opens.",
  code: "WAREHOUSE_CLOSED"
} as const

describe("A guard of a host", () => {
  it("rejects over HTTP and in process with its own code, reason and advice", async () => {
    const { host, place, send } = await start({ guards: [{ ...closed, on: "confirm", isMet: () => false }] })
    const placed = await place("A")
    const [failure] = (await orThrow(host.services.shipments.confirm(seller, [placed]))).failures
    const { errors, status } = await send("POST", "/oms/v3/shipment/confirm", [placed])
    const message = `Can't confirm shipment ${placed.orderId} (placed): the warehouse is closed. Wait until it opens.`
    const shown = { index: 0, code: "WAREHOUSE_CLOSED", message, path: "/0/orderId" }
    const details = { current: "placed", allowed: ["cancel a part", "cancel everything"] }
    deepStrictEqual({ ...failure }, { ...shown, details })
    deepStrictEqual([status, errors], ["FAILED", [{ ...shown, ...details, orderId: placed.orderId }]])
    await host.dispose()
  })

  it("loads its facts once for all records of a request, as a promise or an effect", async () => {
    const asked: Array<ReadonlyArray<string>> = []
    const guards = [
      Lifecycle.guard({
        ...closed,
        on: "confirm",
        facts: async (shipments) => {
          asked.push(shipments.map(({ id }) => id).sort())
          return new Set([shipments[0]?.id])
        },
        isMet: ({ id }, { facts }) => !facts.has(id)
      }),
      Lifecycle.guard({ ...closed, on: "cancel", facts: () => Effect.succeed(3), isMet: (_, { facts }) => facts === 3 })
    ]
    const { host, place } = await start({ guards })
    const placed = [await place("A"), await place("B"), await place("C")]
    const { failures } = await orThrow(host.services.shipments.confirm(seller, placed))
    deepStrictEqual(asked, [placed.map(({ orderId }) => orderId).sort()])
    deepStrictEqual(
      failures.map(({ code }) => code),
      ["WAREHOUSE_CLOSED"]
    )
    await allOrThrow(host.services.shipments.cancel(seller, [placed[failures[0]?.index ?? 0] as (typeof placed)[0]]))
    await host.dispose()
  })

  it("whose facts fail changes nothing", async () => {
    const facts = () => Promise.reject(new Error("down"))
    const { host, place } = await start({ guards: [{ ...closed, on: "confirm", facts, isMet: () => true }] })
    const placed = await place("A")
    const outcome = await host.services.shipments.confirm(seller, [placed]).then(
      () => "confirmed",
      ({ message }: Error) => message
    )
    const [found] = await orThrow(host.services.shipments.read(seller, [placed.orderId]))
    deepStrictEqual([outcome, found?.shipment.status], ["down", "placed"])
    await host.dispose()
  })

  it("is unknown to another host in the process", async () => {
    const [one, other] = await Promise.all([
      start({ guards: [{ ...closed, on: "confirm", isMet: () => false }] }),
      start()
    ])
    const outcomes = await Promise.all(
      [one, other].map(async ({ host, place }) => {
        const { succeeded } = await orThrow(host.services.shipments.confirm(seller, [await place("A")]))
        await host.dispose()
        return succeeded
      })
    )
    deepStrictEqual(outcomes, [0, 1])
  })

  it("that can't work keeps the host from starting, and a sentence says why", async () => {
    const wrong = await setupError({ guards: [{ ...closed, on: "despatch", code: "closed", isMet: () => true }] })
    assertTrue(String(wrong).startsWith("lifecycle and guards: The code of the guard closed must be"), String(wrong))
    assertTrue(String(wrong).endsWith("The guard closed is on despatch, which is no move of a caller"), String(wrong))
    strictEqual(await setupError({ guards: {} }), "guards must be a list such as [{ on, isMet, says, advice, code }]")
    strictEqual(await setupError({ lifecycle: {} }), "lifecycle must be extendLifecycle({ … })")
    const faulty = await setupError({ lifecycle: extendLifecycle({ transitions: { nowhere: {} } }) })
    strictEqual(faulty, "lifecycle and guards: transitions has nowhere, which is no status")
    assertTrue(Result.isSuccess(extendLifecycle({})))
  })
})
