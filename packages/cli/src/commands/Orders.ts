/** `crossdock orders`: exports orders and erases personal data. Source: docs/reference/orders.md#erasure. */
import { Contact } from "@crossdock/audit"
import { type Order, OrderStore, Orders } from "@crossdock/orders"
import { Effect, Option, Result, Stream } from "effect"
import { Argument } from "effect/cli"
import * as Answer from "../Answer.ts"
import * as CommandLine from "../CommandLine.ts"
import { caller, define } from "../Management.ts"
import * as Audit from "./Audit.ts"

const pageSize = 500

const everyOrder = Stream.unwrap(
  Effect.map(OrderStore, ({ page }) =>
    Stream.paginate(null as string | null, (after) =>
      Effect.map(page(after, pageSize), (orders) => {
        const last = orders.length < pageSize ? undefined : orders.at(-1)?.id
        return [orders, last === undefined ? Option.none() : Option.some(last)] as const
      })
    )
  )
)

/** Whether an order's customer or one of its addresses has this e-mail address or telephone number. */
const isOf = (contact: string) => {
  const [address, numbers] = [Contact.folded(contact), Contact.telephones(contact)]
  return ({ draft: { billingAddress, customer, shippingAddress } }: Order): boolean =>
    [customer, billingAddress, shippingAddress].some(
      (person) =>
        Contact.folded(person?.email ?? "") === address ||
        Contact.telephones(person?.phone ?? "").some((one) => numbers.includes(one))
    )
}

export const command = CommandLine.group("orders", "Orders, and the personal data in them.", [
  define({
    name: "export",
    does: "Writes all orders, or those of one marketplace, as JSON lines to standard output or a new file. The lines contain personal data.",
    examples: ["orders export --out orders.jsonl", "orders export --marketplace bazaar > bazaar.jsonl"],
    options: {
      marketplace: CommandLine.optional("marketplace", "only the orders of this marketplace, by its slug"),
      out: CommandLine.optional("out", "a file that doesn't exist yet (default: standard output)")
    },
    *run({ marketplace, out }) {
      const chosen = Stream.filter(everyOrder, (order) => marketplace === null || order.marketplace === marketplace)
      const lines = Stream.map(chosen, (order) => `${JSON.stringify(order)}\n`)
      yield* Audit.written(out, lines)
      return undefined
    }
  }),
  define({
    name: "erase",
    does: "Erases the personal data of an order once all of its shipments are closed and their returns are checked. Safe to repeat.",
    examples: ["orders erase bazaar ORDER"],
    options: {
      marketplace: CommandLine.argument("marketplace", "the order's marketplace"),
      order: CommandLine.argument("order", "the order's id at Crossdock, not the marketplace's own")
    },
    *run({ marketplace, order }) {
      const erased = yield* (yield* Orders.Orders).erase(caller, marketplace, order)
      return Answer.sentence(erased ? `Order ${order} is erased.` : `Order ${order} was erased before.`, { erased })
    }
  }),
  define({
    name: "erase-person",
    does: "Erases the personal data of every order whose customer or addresses contain the e-mail address or telephone number. Orders with open shipments are listed instead of erased, and the command then exits with 1. Repeat it once their shipments are closed.",
    examples: ["orders erase-person asha@example.com"],
    options: {
      contact: Argument.String("contact").pipe(
        Argument.filter(
          (text) => text.includes("@") || Contact.telephones(text).length > 0,
          () => "an e-mail address, or a telephone number of at least 5 digits"
        ),
        Argument.withDescription("an e-mail address or a telephone number")
      )
    },
    *run({ contact }) {
      const { erase } = yield* Orders.Orders
      const found = yield* Stream.runCollect(Stream.filter(everyOrder, isOf(contact)))
      const outcomes = yield* Effect.forEach(found, ({ id, marketplace }) =>
        Effect.map(Effect.result(erase(caller, marketplace, id)), (outcome) => ({ id, marketplace, outcome }))
      )
      const erased = outcomes.filter(({ outcome }) => Result.isSuccess(outcome)).map(({ id }) => id)
      const left = outcomes.flatMap(({ id, marketplace, outcome }) =>
        Result.isFailure(outcome) ? [{ marketplace, order: id, reason: outcome.failure.message }] : []
      )
      const lines = [
        `Erased ${Answer.counted(erased.length, "order")} of the person.`,
        ...left.map(({ marketplace, order, reason }) => `Order ${order} of ${marketplace} was kept: ${reason}`)
      ]
      return Answer.sentence(lines.join("\n"), { erased, left }, left.length > 0)
    }
  })
])
