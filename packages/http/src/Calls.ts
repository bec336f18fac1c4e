/**
 * The interfaces' writes for an application in the same process. A call takes a body as a value, checks it with the same
 * decoders, and fails with the error that HTTP would answer. Source: docs/guides/existing-backend.md#call-a-service.
 */
import type { Caller, Integration, MarketplaceCaller, System } from "@crossdock/access"
import { PriceList } from "@crossdock/billing"
import { type CatalogWrite, CatalogWrites, CustomFields, type ProductShapeCheck } from "@crossdock/catalog"
import { Inventory } from "@crossdock/inventory"
import type { Bulk, Stored, Violation } from "@crossdock/kernel"
import { Orders } from "@crossdock/orders"
import { Pricing } from "@crossdock/pricing"
import { type MoveBatch, type OperationFamily, PaperNumbers, Shipments } from "@crossdock/shipments"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type DomainError, Failure, failureOf } from "./Failure.ts"
import { type Payload, parseJson, tooLarge } from "./internal/Body.ts"
import type { Listed } from "./internal/BulkOperation.ts"
import * as Decode from "./internal/Decode.ts"
import { Limits } from "./Limits.ts"
import { draftOf } from "./marketplace/MarketplaceHttp.ts"
import { awbs, statuses } from "./marketplace/MarketplaceRecords.ts"
import { OrderBody } from "./marketplace/OrderBody.ts"
import { prices, stock } from "./seller/InventoryApi.ts"
import { submission } from "./seller/ProductsHandlers.ts"
import { qualityChecks } from "./seller/ReturnBody.ts"
import { shipmentMoves, unnumberedInvoices } from "./seller/ShipmentMoves.ts"

/** A failed call, which wrote nothing: the code, message and errors of HTTP's answer. */
export class CallRejected extends Schema.TaggedError<CallRejected>("@crossdock/http/CallRejected")("CallRejected", {
  code: Schema.String,
  message: Schema.String,
  errors: Schema.Array(Schema.Unknown as Schema.Schema<Violation>)
}) {}

/** A call. `sent` is the request's body as a value. */
type Call<C extends Caller, Sent, A> = (caller: C, sent: Sent) => Stored<A, CallRejected>

/** The value as JSON. It has nothing that a body can't contain, such as NaN or the methods of a class. */
const bodyOf = (sent: unknown, limit: number) =>
  Result.try({
    try: () => JSON.stringify(sent),
    catch: (fault) =>
      new Failure({
        code: "MALFORMED_JSON",
        message: `What was sent is not JSON: ${String(fault)}. Send plain values.`
      })
  }).pipe(
    Result.flatMap((text) => {
      if (text === undefined) return Result.succeed(undefined)
      const isLong = text.length * 3 > limit && new TextEncoder().encode(text).length > limit
      return isLong ? Result.fail(tooLarge(limit)) : parseJson(text)
    }),
    Result.map((json) => (json === undefined ? undefined : { json })),
    Effect.fromResult
  )

/** Fails with `CallRejected`. A failure of the storage is kept, because the transaction repeats work after a conflict. */
export const rejected = (error: Failure | DomainError): Stored<never, CallRejected> => {
  if (error._tag === "StorageError") return Effect.fail(error)
  const { code, errors = [], message } = failureOf(error)
  return Effect.fail(new CallRejected({ code, message, errors }))
}

/** Makes the calls of one kind of caller: decodes the body, then runs `run`. */
const callOf =
  <C extends Caller>(kind: C["principal"]["kind"]) =>
  <Sent, D, A>(
    decode: Payload<D>,
    run: (caller: C, decoded: D) => Effect.Effect<A, Failure | DomainError>,
    limit: number = Limits.bodyBytes
  ): Call<C, Sent, A> =>
  (caller: C | undefined, sent) =>
    caller?.principal?.kind === kind
      ? Effect.catch(
          Effect.flatMap(Effect.flatMap(bodyOf(sent, limit), decode), (decoded) => run(caller, decoded)),
          rejected
        )
      : rejected(new Failure({ code: "FORBIDDEN", message: `This call is for a caller of the kind ${kind}.` }))

const bySeller = callOf<Caller<Integration>>("integration")
const byMarketplace = callOf<Caller<MarketplaceCaller>>("marketplace")

/** A call for callers of the kind `system`, with the values that the command line accepts. */
const operator = <D, E, A>(
  schema: Schema.Codec<D, E>,
  run: (decoded: D) => Effect.Effect<A, Failure | DomainError>
) => {
  const decode = Decode.whole(schema as Schema.Codec<D, unknown>)
  return callOf<Caller<System>>("system")<E, D, A>(
    (body) => decode(body?.json),
    (_, decoded) => run(decoded)
  )
}

/** Products of any shape. The rules check each product. */
type ProductsSent = { readonly template?: string; readonly products: ReadonlyArray<object> }

interface BulkOf<A, S extends Schema.Top> {
  readonly read: Payload<Listed<A>>
  readonly contract: { readonly payload: S }
}

/** A call of a bulk: `run` carries out the commands of its records. */
const ofBulk = <C extends Caller, A, S extends Schema.Top>(
  by: ReturnType<typeof callOf<C>>,
  { read }: BulkOf<A, S>,
  run: (caller: C, records: Listed<A>["decoded"]) => Stored<Bulk.Summary>
) => by<S["Type"], Listed<A>, Bulk.Summary>(read, (caller, { decoded }) => run(caller, decoded))

/** Makes the calls that an application uses instead of requests. They are grouped by service. */
export const make = Effect.gen(function* () {
  const { setPrices } = yield* Pricing.Pricing
  const { setStock } = yield* Inventory.Inventory
  const { place } = yield* Orders.Orders
  const { moveAsMarketplace, moveAsSeller } = yield* Shipments.Shipments
  const { apply } = yield* CatalogWrites.CatalogWrites
  const priceList = yield* PriceList.make
  const fields = yield* CustomFields.Policy
  const isNumbered = (yield* PaperNumbers.Series) !== undefined

  const seller = <S extends Schema.Top>(family: OperationFamily, bulk: BulkOf<MoveBatch.MoveRequest, S>) =>
    ofBulk(bySeller, bulk, (caller, moves) => moveAsSeller(caller, family, moves))
  const marketplace = <S extends Schema.Top>(family: "awb" | "status", bulk: BulkOf<MoveBatch.MoveRequest, S>) =>
    ofBulk(byMarketplace, bulk, (caller, moves) => moveAsMarketplace(caller, family, moves))
  const products = (operation: ProductShapeCheck.Operation) =>
    bySeller<ProductsSent, ProductShapeCheck.Submission, CatalogWrite>(
      (body) => submission(operation, body),
      apply,
      Limits.catalogBodyBytes
    )
  const { awb, cancel, confirm, dispatch, invoiceUpdate, pack, status } = shipmentMoves
  const order = Decode.whole(OrderBody)

  return {
    productWrites: { create: products("create"), update: products("update"), delete: products("delete") },
    prices: { setPrices: ofBulk(bySeller, prices, setPrices) },
    inventory: { setStock: ofBulk(bySeller, stock, setStock) },
    shipments: {
      confirm: seller("confirm", confirm),
      cancel: seller("cancel", cancel),
      invoice: seller("invoiceUpdate", {
        ...unnumberedInvoices,
        read: isNumbered ? unnumberedInvoices.read : invoiceUpdate.read
      }),
      pack: seller("pack", pack),
      assignAwb: seller("awb", awb),
      dispatch: seller("dispatch", dispatch),
      reportStatus: seller("status", status),
      checkQuality: seller("return", { ...qualityChecks, read: qualityChecks.payload({}) })
    },
    orders: {
      place: byMarketplace<typeof OrderBody.Encoded, typeof OrderBody.Type, Orders.PlacedOrder>(
        (body) => order(body?.json),
        (caller, sent) => place(caller, draftOf(sent, fields))
      ),
      assignAwb: marketplace("awb", awbs),
      reportStatus: marketplace("status", statuses)
    },
    plans: {
      add: operator(PriceList.PlanInput, priceList.addPlan),
      enable: operator(Schema.String, (id) => priceList.setActive(id, true)),
      disable: operator(Schema.String, (id) => priceList.setActive(id, false)),
      list: priceList.plans
    },
    coupons: {
      add: operator(PriceList.CouponInput, priceList.addCoupon),
      disable: operator(Schema.String, priceList.endCoupon),
      list: priceList.coupons
    },
    extensions: { add: operator(PriceList.ExtensionInput, priceList.addExtension), list: priceList.extensions }
  }
})

/** Every call, by the name of its service. */
export type Calls = Effect.Success<typeof make>
