/**
 * The setup of a host: companies with their locations, accounts, marketplaces, and reference data. The operator sends all of
 * it. After a change, the operator sends all of it again.
 */
import type { Company, Location } from "@crossdock/access"
import { ReferenceFile } from "@crossdock/catalog"
import type { Accounts, Host, Outcome } from "@crossdock/host"
import type { Registration } from "@crossdock/marketplaces"
import * as Result from "effect/Result"

export interface Setup {
  readonly companies: ReadonlyArray<{
    readonly company: Company
    readonly locations: ReadonlyArray<Omit<Location, "companyId">>
  }>
  readonly accounts: ReadonlyArray<{ readonly principal: Accounts.Holder; readonly password: string }>
  readonly marketplaces: ReadonlyArray<Registration.Registration>
  /** A file like `packages/cli/data/reference.json`. */
  readonly reference: unknown
}

/** Whether a body has the form of a setup. The entries of a setup are checked when they are registered. */
export const isSetup = (body: unknown): body is Setup =>
  typeof body === "object" &&
  body !== null &&
  ["companies", "accounts", "marketplaces"].every((name) => Array.isArray(Reflect.get(body, name)))

type Step = () => Promise<Outcome<unknown, { readonly message: string }>>

const stepsOf = (host: Host.Host, { accounts, companies, marketplaces, reference }: Setup): ReadonlyArray<Step> => {
  const caller = host.system("setup")
  return [
    ...companies.map(
      ({ company, locations }): Step =>
        () =>
          host.services.companies.register(caller, company, locations)
    ),
    ...accounts.map(
      ({ password, principal }): Step =>
        () =>
          host.services.accounts.register(caller, principal, password)
    ),
    ...marketplaces.map(
      (one): Step =>
        () =>
          host.services.marketplaces.register(caller, one)
    ),
    async () => {
      const read = ReferenceFile.decode(reference)
      if (Result.isSuccess(read)) return host.services.productImport.reference(...read.success)
      return { ok: false, error: { message: "The reference data is not valid" } }
    }
  ]
}

/** Registers the entries one after the other. Returns why it stopped, or undefined if all are registered. */
export const apply = async (host: Host.Host, setup: Setup): Promise<string | undefined> => {
  for (const step of stepsOf(host, setup)) {
    const outcome = await step()
    if (!outcome.ok) return outcome.error.message
  }
  return undefined
}
