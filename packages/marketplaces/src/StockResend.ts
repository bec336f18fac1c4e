/**
 * Port: resends a marketplace the stock of a company when its registration changes. Notifications fill it.
 */
import type { CompanyWrite } from "@crossdock/audit"
import type { CompanyId, StaleWrite, StorageError } from "@crossdock/kernel"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

export class StockResend extends Context.Service<
  StockResend,
  {
    /**
     * Inside a transaction that has locked the company: everything the marketplace sells of it is sent once more, under
     * new sequences.
     */
    readonly restart: (
      marketplace: string,
      company: CompanyId,
      mark: CompanyWrite.Mark
    ) => Effect.Effect<void, StaleWrite | StorageError>
  }
>()("@crossdock/marketplaces/StockResend") {}
