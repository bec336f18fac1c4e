/** A host's extended lifecycle: its additions are in every answer, and an impossible lifecycle isn't made. */

import { qcReasons, reasonCrosswalk } from "@crossdock/returns"
import {
  closedStatuses,
  extendLifecycle,
  IssuedDocuments,
  isOpen,
  Lifecycle,
  type LifecycleExtension,
  mayMoveStock,
  operationalStatuses,
  orderStatuses,
  orderStatusOf,
  orderStatusValues,
  rejectionCodes,
  type Shipment
} from "@crossdock/shipments"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Result } from "effect"
import { ask, later, standing } from "./Fixtures.ts"

const statuses = { quality_hold: { orderStatus: "PROCESSING", stock: "none" } } as const
const transitions = {
  dp_assigned: { pack: null, status: { quality_hold: { who: "seller" } } },
  quality_hold: { pack: { to: "bag_packed" }, status: { cancelled_customer: { who: "marketplace" } } }
} as const satisfies LifecycleExtension["transitions"]

const lifecycle = Result.getOrThrow(extendLifecycle({ statuses, transitions }))
const move = (shipment: Shipment, command: Parameters<typeof Lifecycle.move>[1]) =>
  Lifecycle.move(shipment, command, later, { returns: [], lifecycle })
const assigned = standing("dp_assigned", { invoiced: true })
const waiting = Result.getOrThrow(move(assigned, ask.status("quality_hold", "seller"))).shipment

const faultsOf = (extension: LifecycleExtension): ReadonlyArray<string> =>
  Result.match(extendLifecycle(extension), { onFailure: ({ faults }) => faults, onSuccess: () => [] })

describe("A shipment in an added status", () => {
  it("is open, shows its order status, and has no label before it is packed", () => {
    const facts = [
      waiting.status,
      orderStatusOf(waiting),
      isOpen(waiting),
      mayMoveStock(waiting),
      IssuedDocuments.hasLabel(waiting)
    ]
    deepStrictEqual(facts, ["quality_hold", "PROCESSING", true, true, false])
    deepStrictEqual(
      waiting.events.map(({ status }) => status),
      ["placed", "dp_assigned", "quality_hold"]
    )
    deepStrictEqual(JSON.parse(JSON.stringify(waiting)), waiting)
    // Nor an invoice, which a shipment has once its history has a status after packing.
    strictEqual(
      waiting.events.some(({ status }) => IssuedDocuments.isPacked(status)),
      false
    )
  })

  it("goes on by the moves that the host gave it", () => {
    const { shipment } = Result.getOrThrow(move(waiting, ask.pack))
    deepStrictEqual([shipment.status, shipment.added, orderStatusOf(shipment)], ["bag_packed", null, "COMPLETED"])
    assertTrue(IssuedDocuments.hasLabel(shipment))
  })

  it("has the label that it had before", () => {
    const stopped = Result.getOrThrow(
      extendLifecycle({
        statuses,
        transitions: { bag_packed: { status: { quality_hold: {} } }, quality_hold: { status: { bag_picked: {} } } }
      })
    )
    const context = { returns: [], lifecycle: stopped }
    const packed = standing("bag_packed", { invoiced: true })
    const { shipment } = Result.getOrThrow(Lifecycle.move(packed, ask.status("quality_hold"), later, context))
    assertTrue(IssuedDocuments.hasLabel(shipment))
  })

  it("is on the way to others, and is named where our statuses are", () => {
    const packing = Result.getOrThrow(Result.flip(move(assigned, ask.pack)))
    deepStrictEqual(packing.details.steps, ["status quality_hold", "pack"])
    assertTrue(packing.details.allowed.includes("status quality_hold"))
    strictEqual(
      packing.message,
      `Can't pack shipment ${assigned.id}: its status is dp_assigned. Set its status to quality_hold, then pack it.`
    )
    const unknown = Result.getOrThrow(Result.flip(move(assigned, ask.status("lost"))))
    assertTrue(unknown.message.includes("cancelled_seller, quality_hold."), unknown.message)
  })

  it("can't be left by a lifecycle that doesn't have the status, and still reads the same", () => {
    const rejected = Result.getOrThrow(Result.flip(Lifecycle.move(waiting, ask.pack, later)))
    deepStrictEqual([rejected.code, rejected.details.allowed], ["CR400", []])
    strictEqual(orderStatusOf(waiting), "PROCESSING")
  })

  it("may be closed", () => {
    const donated = { orderStatus: "RETURN_DELIVERED", stock: "unsellable", isClosed: true } as const
    const table = Result.getOrThrow(
      extendLifecycle({ statuses: { donated }, transitions: { rto_bag_delivered: { status: { donated: {} } } } })
    )
    const back = standing("rto_bag_delivered", { way: "rto", invoiced: true })
    const context = { returns: [], lifecycle: table }
    const { shipment, stock } = Result.getOrThrow(Lifecycle.move(back, ask.status("donated"), later, context))
    deepStrictEqual(
      stock.map(({ kind, quantity }) => [kind, quantity]),
      [
        ["unsellable", 2],
        ["unsellable", 1]
      ]
    )
    deepStrictEqual([isOpen(shipment), mayMoveStock(shipment)], [false, false])
  })
})

describe("A lifecycle without changes", () => {
  it("is ours", () => {
    const { movesStock, returnStatuses, ...others } = Result.getOrThrow(extendLifecycle({}))
    const { movesStock: ours, returnStatuses: ourReturns, ...standard } = Lifecycle.standard
    deepStrictEqual(others, standard)
    deepStrictEqual(movesStock.toSorted(), ours.toSorted())
    deepStrictEqual(returnStatuses.toSorted(), ourReturns.toSorted())
  })
})

describe("The rows of a lifecycle", () => {
  it("have their reported statuses in the order of all statuses", () => {
    const late = Result.getOrThrow(
      extendLifecycle({
        statuses,
        transitions: {
          ...transitions,
          dp_assigned: { status: { quality_hold: {}, bag_lost: null, dp_assigned: null } }
        }
      })
    )
    for (const { rows, statuses } of [Lifecycle.standard, lifecycle, late]) {
      for (const { status = {} } of Object.values(rows)) {
        deepStrictEqual(
          Object.keys(status),
          statuses.filter((one) => one in status)
        )
      }
    }
  })
})

describe("A move that keeps the status", () => {
  it("has no effect on stock again", () => {
    const table = Result.getOrThrow(
      extendLifecycle({ transitions: { bag_picked: { dispatch: { to: "bag_picked" } } } })
    )
    const { stock } = Result.getOrThrow(
      Lifecycle.move(standing("bag_picked", { invoiced: true }), ask.dispatch(), later, {
        returns: [],
        lifecycle: table
      })
    )
    deepStrictEqual(stock, [])
  })
})

describe("The stock that is locked", () => {
  it("is that of the invoice that a courier follows from", () => {
    const table = Result.getOrThrow(
      extendLifecycle({
        statuses: { sent: { orderStatus: "TRANSIT", stock: "consume" } },
        transitions: {
          bag_invoiced: { assignCourier: { to: "sent", guards: ["by-who-ships"] } },
          sent: { status: { delivery_done: {} } },
          dp_assigned: { awb: null }
        }
      })
    )
    deepStrictEqual(table.movesStock.includes("invoiceUpdate"), true)
  })

  it("is that of every operation that leads to a status with an effect", () => {
    const table = Result.getOrThrow(
      extendLifecycle({
        statuses: { picked_up: { orderStatus: "DELIVERED", stock: "consume", isClosed: true } },
        transitions: { bag_packed: { pack: { to: "picked_up" } } }
      })
    )
    deepStrictEqual([table.movesStock.includes("pack"), Lifecycle.standard.movesStock.includes("pack")], [true, false])
  })

  it("of a return that is reported of its sale is the return's, by added statuses too", () => {
    const table = Result.getOrThrow(
      extendLifecycle({
        statuses: { return_at_hub: { orderStatus: "RETURN_PROCESSING", stock: "none" } },
        transitions: {
          return_bag_in_transit: { status: { return_at_hub: {} } },
          return_at_hub: { status: { return_bag_delivered: {} } }
        }
      })
    )
    const ours = ["return_dp_assigned", "return_bag_in_transit", "return_bag_delivered"]
    deepStrictEqual([...Lifecycle.standard.returnStatuses].sort(), ours.toSorted())
    deepStrictEqual([...table.returnStatuses].sort(), [...ours, "return_at_hub"].sort())
  })
})

describe("A lifecycle that can't work", () => {
  it("leads from a closed status on to an open one, whose AWB another shipment may have by then", () => {
    const parked = { orderStatus: "RETURN_DELIVERED", stock: "none", isClosed: true } as const
    deepStrictEqual(
      faultsOf({
        statuses: { parked, unparked: { ...statuses.quality_hold } },
        transitions: {
          rto_bag_delivered: { status: { parked: {} } },
          parked: { status: { unparked: {} } },
          unparked: { status: { bag_lost: {} } }
        }
      }).filter((fault) => fault.includes("closed")),
      ["parked is closed, but status unparked leads on to unparked, which is open"]
    )
  })

  it("has all its misspelt names listed", () => {
    deepStrictEqual(
      faultsOf({
        statuses: { Wait: { orderStatus: "WAITING" as never, stock: "some" as never }, placed: statuses.quality_hold },
        transitions: {
          nowhere: {},
          placed: { wait: { to: "placed" }, pack: { to: "vanished", guards: ["never" as never] } } as never
        }
      }),
      [
        '"Wait" must have small letters, digits and _ only',
        `Wait needs an orderStatus: ${orderStatusValues.join(", ")}`,
        "Wait must state its stock effect: release, consume, restock, unsellable or none",
        "placed is a status already: change its transitions",
        "placed has wait, which is no operation",
        "wait of placed is no operation",
        "pack of placed leads to vanished, which is no status",
        "pack of placed has the guard never, which doesn't exist",
        "transitions has nowhere, which is no status"
      ].filter((fault) => fault !== "wait of placed is no operation")
    )
  })

  it("is named where its values have other types, or nobody can make a move", () => {
    const given = (value: unknown) => faultsOf(value as LifecycleExtension)
    const rows = (name: string) => [`${name} must be an object with an object for each status`]
    deepStrictEqual(given({ statuses: null }), rows("statuses"))
    deepStrictEqual(given({ statuses: { waiting: null } }), rows("statuses"))
    deepStrictEqual(given({ transitions: { placed: null } }), rows("transitions"))
    const rule = (name: string) => [`${name} of placed must be null or an object such as { to, who, guards: [] }`]
    deepStrictEqual(given({ transitions: { placed: { confirm: undefined } } }), rule("confirm"))
    deepStrictEqual(given({ transitions: { placed: { status: { bag_lost: undefined } } } }), rule("bag_lost"))
    const confirm = { to: "bag_confirmed", guards: "all-that-is-left" }
    deepStrictEqual(given({ transitions: { placed: { confirm } } }), rule("confirm"))
    deepStrictEqual(given({ transitions: { placed: { status: 5 } } }), [
      "status of placed must be an object of statuses"
    ])
    deepStrictEqual(
      given({
        transitions: {
          dp_assigned: { pack: { to: "bag_packed", who: "marketplace" } },
          bag_picked: { status: { delivery_done: { who: "courier" } } }
        }
      }),
      [
        "pack of dp_assigned has who marketplace, who can't make it",
        "status delivery_done of bag_picked has who courier, who can't make it"
      ]
    )
  })

  it("has statuses that can't be reached or left", () => {
    deepStrictEqual(faultsOf({ statuses }), [
      "quality_hold can't be reached from placed",
      "quality_hold has no way out: give it a move, or isClosed: true"
    ])
    assertTrue(
      faultsOf({ transitions: { placed: { confirm: null } } }).includes("bag_confirmed can't be reached from placed")
    )
    deepStrictEqual(faultsOf({ transitions: { delivery_attempt_failed: { status: { rto_in_transit: null } } } }), [])
    assertTrue(
      faultsOf({
        transitions: {
          delivery_attempt_failed: { status: { rto_in_transit: null, delivery_reattempt_requested: null } },
          delivery_reattempt_requested: {}
        }
      }).includes("delivery_attempt_failed has no way out: give it a move, or isClosed: true")
    )
  })

  it("has a status that only a courier, the marketplace's shipping or an invoice that can't be there leads out of", () => {
    for (const exit of [
      { assignCourier: { to: "dp_assigned" } },
      { status: { cancelled_customer: { guards: ["cancelled-after-invoicing"] } } },
      { status: { cancelled_customer: { guards: ["marketplace-ships"] } } }
    ] as const)
      assertTrue(
        faultsOf({
          statuses,
          transitions: { placed: { status: { quality_hold: {} } }, quality_hold: exit }
        }).includes("quality_hold has no way out: give it a move, or isClosed: true")
      )
  })

  it("would invoice a sale twice, change what is invoiced, or credit it twice", () => {
    const { cancelPart } = Lifecycle.transitions.placed
    const status = { cancelled_customer: {} }
    deepStrictEqual(
      faultsOf({
        statuses,
        transitions: {
          dp_assigned: { status: { quality_hold: {} } },
          quality_hold: {
            invoiceSale: { to: "bag_invoiced" },
            cancelPart: { ...cancelPart, to: "quality_hold" },
            status
          }
        }
      }),
      [
        "invoiceSale of quality_hold would change what is invoiced already",
        "cancelPart of quality_hold would change what is invoiced already"
      ]
    )
    deepStrictEqual(
      faultsOf({ transitions: { credit_note_generated: { creditNote: { to: "credit_note_generated" } } } }),
      ["creditNote of credit_note_generated needs the guard no-credit-note-yet"]
    )
  })

  it("would release, consume or restock units twice, or never", () => {
    const picked = { orderStatus: "TRANSIT", stock: "consume" } as const
    deepStrictEqual(
      faultsOf({
        statuses: { picked },
        transitions: { bag_picked: { status: { picked: {} } }, picked: { status: { delivery_done: {} } } }
      }),
      ["status picked of bag_picked would consume units that are out"]
    )
    deepStrictEqual(faultsOf({ transitions: { placed: { status: { delivery_done: {} } } } }), [
      "status return_initiated of delivery_done would return units that are reserved",
      "delivery_done is reached with units that are reserved, and by status delivery_done of bag_picked with units that are out",
      "delivery_done is reached with units that are reserved, and by status delivery_done of out_for_delivery with units that are out",
      "delivery_done is reached with units that are reserved, and by status delivery_done of delivery_reattempt_requested with units that are out",
      "delivery_done ends the way of units that are still reserved"
    ])
    const forgotten = { orderStatus: "CANCELLED", stock: "none", isClosed: true } as const
    deepStrictEqual(faultsOf({ statuses: { forgotten }, transitions: { placed: { status: { forgotten: {} } } } }), [
      "forgotten ends the way of units that are still reserved"
    ])
    const parked = { orderStatus: "RETURN_DELIVERED", stock: "none", isClosed: true } as const
    deepStrictEqual(
      faultsOf({
        statuses: { parked },
        transitions: { rto_bag_delivered: { status: { parked: {} } }, parked: { status: { deadstock: {} } } }
      }),
      ["parked is closed, but status deadstock moves its stock"]
    )
  })

  it("would take back or return units that aren't out, or twice", () => {
    const { cancelPart } = Lifecycle.transitions.placed
    const opening = Lifecycle.transitions.delivery_done.status
    const { return: check } = Lifecycle.transitions.rto_bag_delivered
    deepStrictEqual(faultsOf({ transitions: { bag_picked: { cancelPart: { ...cancelPart, to: "bag_picked" } } } }), [
      "cancelPart of bag_picked would change what is invoiced already",
      "cancelPart of bag_picked would release units that are out"
    ])
    deepStrictEqual(faultsOf({ transitions: { placed: { status: opening } } }), [
      "status return_initiated of placed would return units that are reserved"
    ])
    deepStrictEqual(faultsOf({ transitions: { return_accepted: { status: opening } } }), [
      "status return_initiated of return_accepted would return units that are back"
    ])
    deepStrictEqual(faultsOf({ transitions: { bag_picked: { status: opening } } }).slice(-1), [
      "status return_initiated of bag_picked would return units that return of rto_bag_delivered takes back too"
    ])
    const tried = { orderStatus: "DELIVERED", stock: "none" } as const
    deepStrictEqual(
      faultsOf({
        statuses: { tried },
        transitions: { bag_picked: { status: { tried: {} } }, tried: { return: check, status: { delivery_done: {} } } }
      }),
      ["status return_initiated of delivery_done would return units that return of tried takes back too"]
    )
    const sold = { orderStatus: "RETURN_DELIVERED", stock: "restock", isClosed: true } as const
    deepStrictEqual(
      faultsOf({ statuses: { sold }, transitions: { return_initiated: { assignCourier: { to: "sold" } } } }).slice(-1),
      ["assignCourier of return_initiated can't restock units"]
    )
  })

  it("would let an operation take more units than there are", () => {
    deepStrictEqual(
      faultsOf({
        transitions: {
          placed: { cancelPart: { to: "placed" } },
          rto_bag_delivered: { return: { to: "return_accepted" } },
          delivery_done: { status: { return_initiated: { opensReturn: true } } }
        }
      }),
      [
        "cancelPart of placed needs the guard within-what-is-left",
        "status return_initiated of delivery_done needs the guard within-what-is-not-returned",
        "return of rto_bag_delivered needs the guard within-what-has-no-result"
      ]
    )
  })

  it("would keep units reserved in a circle, or change them after the end", () => {
    const parked = { orderStatus: "PROCESSING", stock: "none" } as const
    deepStrictEqual(
      faultsOf({
        statuses: { parked, waiting: parked },
        transitions: {
          placed: { status: { parked: {} } },
          parked: { status: { waiting: {} } },
          waiting: { status: { parked: {} } }
        }
      }),
      [
        "parked has no way out: give it a move, or isClosed: true",
        "waiting has no way out: give it a move, or isClosed: true"
      ]
    )
    const recalled = { orderStatus: "RETURN_DELIVERED", stock: "restock", isClosed: true } as const
    assertTrue(
      faultsOf({ statuses: { recalled }, transitions: { bag_lost: { status: { recalled: {} } } } }).includes(
        "bag_lost is closed, but status recalled moves its stock"
      )
    )
  })

  it("has a status by a name that every object has", () => {
    const over = { orderStatus: "TRANSIT", stock: "none", isClosed: true } as const
    deepStrictEqual(
      faultsOf({
        statuses: { constructor: over },
        transitions: { bag_picked: { status: { constructor: {} } } }
      }),
      ['"constructor" must have small letters, digits and _ only, and be no name of JavaScript\'s']
    )
  })

  it("would lead an operation elsewhere than its work does", () => {
    deepStrictEqual(
      faultsOf({
        transitions: {
          placed: { cancel: { to: "bag_confirmed" }, cancelPart: { to: "bag_confirmed" } },
          delivery_done: { status: { return_initiated: {} } }
        }
      }).slice(0, 3),
      [
        "cancelPart of placed must lead to placed",
        "cancel of placed must lead to cancelled_seller",
        "status return_initiated of delivery_done: opensReturn belongs to return_initiated alone"
      ]
    )
  })
})

/** All objects in a value, nested ones included. */
const objectsIn = (value: unknown): ReadonlyArray<object> =>
  typeof value === "object" && value !== null ? [value, ...Object.values(value).flatMap(objectsIn)] : []

describe("The exported tables", () => {
  it("are frozen: one host can't change another's", () => {
    const tables = {
      transitions: Lifecycle.transitions,
      operations: Lifecycle.operations,
      guards: Lifecycle.guards,
      stockOnReaching: Lifecycle.stockOnReaching,
      standard: Lifecycle.standard,
      lifecycle,
      operationalStatuses,
      closedStatuses,
      orderStatusValues,
      orderStatuses,
      rejectionCodes,
      qcReasons,
      reasonCrosswalk
    }
    for (const [name, table] of Object.entries(tables)) {
      for (const one of objectsIn(table)) assertTrue(Object.isFrozen(one), `${name}: ${JSON.stringify(one)}`)
    }
  })
})
