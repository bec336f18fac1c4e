/** Builders for tests of notifications. */
import { CompanyId } from "@crossdock/kernel"
import { type EventEndpoint, fresh } from "../EventEndpoint.ts"

/** The endpoint "erp" of company 1, for all events after number 12. `changes` replaces any field. */
export const endpoint = (changes: Partial<EventEndpoint> = {}): EventEndpoint => ({
  ...fresh(
    { companyId: CompanyId.make(1), id: "erp" },
    {
      webhook: {
        url: "https://erp.example/events",
        secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        retiring: null,
        authentication: { type: "none" }
      },
      types: null,
      cursor: 12
    }
  ),
  ...changes
})
