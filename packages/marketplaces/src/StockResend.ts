/**
 * Port: resends the stock of a company to a marketplace when its registration changes. Notifications implement it.
 */
import type { CompanyWrite } from "@crossdock/audit"
import type { CompanyId, StaleWrite, StorageError } from "@crossdock/kernel"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/** Resends stock. */
export class StockResend extends Context.Service<
  StockResend,
  {
    /**
     * Sends everything that the marketplace sells of the company again, under new sequences. It is called inside a
     * transaction that has locked the company.
     */
    readonly restart: (
      marketplace: string,
      company: CompanyId,
      mark: CompanyWrite.Mark
    ) => Effect.Effect<void, StaleWrite | StorageError>
  }
>()("@crossdock/marketplaces/StockResend") {}
