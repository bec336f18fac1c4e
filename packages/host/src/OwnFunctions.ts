/** Checks synchronous functions of the application. Their arguments are frozen, and a wrong result fails the request. */
import type { ProductChanges } from "@crossdock/catalog"
import type { SalesTax } from "@crossdock/documents"
import { frozen, immediate, Money, Text, type Violation } from "@crossdock/kernel"
import type { OrderPricing } from "@crossdock/orders"
import type { Lifecycle } from "@crossdock/shipments"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"

const guard = (one: Lifecycle.OwnGuard): Lifecycle.OwnGuard => ({
  ...one,
  isMet: (shipment, { at, facts, ...input }) =>
    immediate(
      one.isMet(frozen(shipment), { ...frozen(input), at, facts }),
      Predicate.isBoolean,
      `isMet of the guard ${one.code} must return true or false`
    )
})

export const guards = (table: Lifecycle.Table): Lifecycle.Table => {
  const own = new Map(table.guards.map((one) => [one, guard(one)]))
  const of = (all: ReadonlyArray<Lifecycle.OwnGuard>) => all.map((one) => own.get(one) ?? one)
  return Object.freeze({ ...table, guards: of(table.guards), guardsOf: Record.map(table.guardsOf, of) })
}

const isPrintable = ({ amount, code, name, tax = { amount: 0, rate: 0 }, type }: OrderPricing.AddedCharge): boolean =>
  [name, type ?? name, code ?? name].every((text) => Text.isLine(text, 200)) &&
  [amount, tax.amount].every(Number.isSafeInteger) &&
  Number.isFinite(tax.rate) &&
  (tax.amount === 0 || (tax.amount > 0 && tax.amount <= amount))

/** The host's charges. If a charge can't be printed, the host is at fault, so the request fails with 500. */
export const charges =
  (chargesOf: OrderPricing.ChargesOf): OrderPricing.ChargesOf =>
  (order, total) => {
    const returned = chargesOf(frozen(order), total)
    const charges = [...immediate(returned, Array.isArray, "charges must return a list")]
    const sum = charges.reduce((before, { amount }) => before + amount, total)
    if (charges.every(isPrintable) && sum >= 0 && sum <= Money.largestTotal) return charges
    const must = "whole amounts in minor units, taxes that are parts of them, and names of one line"
    throw new Error(`charges must return ${must}, with a total of at least 0: ${JSON.stringify(charges)}`)
  }

const areTexts = (list: unknown): boolean => Array.isArray(list) && list.every(Predicate.isString)

const isViolation = (one: Violation): boolean =>
  Predicate.isObject(one) && [one.code, one.path, one.message].every(Predicate.isString)

export const productRule =
  (rule: ProductChanges.OwnRule): ProductChanges.OwnRule =>
  (product) =>
    immediate(
      rule(frozen(product)),
      (found) => Array.isArray(found) && found.every(isViolation),
      "A rule of productRules must return a list of violations { code, path, message }"
    )

export const salesTax = (tax: SalesTax): SalesTax => ({
  ...tax,
  taxNames: (...of) => immediate(tax.taxNames(...of), areTexts, "taxNames must return a list of texts"),
  placeOfSupply: (to) =>
    immediate(
      tax.placeOfSupply(to),
      (place) => place === null || Predicate.isString(place),
      "placeOfSupply must return a text or null"
    )
})

export const invoiceNumber =
  (numberOf: (year: number, nth: number) => string) =>
  (year: number, nth: number): string =>
    immediate(
      numberOf(year, nth),
      (number) => Text.isLine(number, 50),
      "numbering.invoice must return a text of 1 to 50 characters"
    )
