import type * as Cause from "effect/Cause"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/**
 * Makes a class of errors with these fields. Its tag follows the second slash of `id`. The message is made when it is read.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { taggedError } from "@crossdock/kernel"
 * import * as Schema from "effect/Schema"
 *
 * class OrderLost extends taggedError<OrderLost>()(
 *   "@acme/shop/OrderLost",
 *   { id: Schema.String },
 *   ({ id }) => `Order ${id} is lost`
 * ) {}
 * const error = new OrderLost({ id: "7" })
 * strictEqual(`${error._tag}: ${error.message}`, "OrderLost: Order 7 is lost")
 * ```
 */
export const taggedError =
  <Self>() =>
  <const Tag extends string, const Fields extends Schema.Struct.Fields>(
    id: `${string}/${string}/${Tag}`,
    fields: Fields,
    message: (error: Schema.Struct<Fields>["Type"]) => string
  ): Schema.Class<Self, Schema.TaggedStruct<Tag, Fields>, Cause.YieldableError> => {
    const tag = id.split("/").slice(2).join("/") as Tag
    const made = Schema.TaggedError<object>(id)(tag, fields)
    Object.defineProperty(made.prototype, "message", {
      configurable: true,
      get() {
        return message(this)
      }
    })
    return made as never
  }

/**
 * The storage failed or was busy for too long. `cause` is for logs only. If `isContended`, the whole transaction can be
 * retried. If `isTooLarge`, a value exceeds its limit and a retry never succeeds.
 */
export class StorageError extends taggedError<StorageError>()(
  "@crossdock/kernel/StorageError",
  {
    operation: Schema.String,
    cause: Schema.Defect(),
    isContended: Schema.optionalKey(Schema.Boolean),
    isTooLarge: Schema.optionalKey(Schema.Boolean)
  },
  ({ operation }) => `Storage failed during ${operation}`
) {}

/** Another writer changed the rows after they were read, and nothing was written. Read them again and repeat the write. */
export class StaleWrite extends taggedError<StaleWrite>()(
  "@crossdock/kernel/StaleWrite",
  { operation: Schema.String },
  ({ operation }) => `${operation} wrote nothing, because another writer changed its rows since they were read`
) {}

/** Work of a storage that returns `A`. It may fail with `StorageError`, as all work of a storage may, or with `E`. */
export type Stored<A, E = never, R = never> = Effect.Effect<A, E | StorageError, R>
