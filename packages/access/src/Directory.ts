/** Sellers, their locations, and the accounts that can sign in. The port stores them. */
import type { CompanyId, Stored } from "@crossdock/kernel"
import * as Context from "effect/Context"
import type { AccountHolder } from "./Principal.ts"

/** A company that sells. */
export interface Company {
  readonly id: CompanyId
  readonly name: string
  /** The company's name on invoices and labels. */
  readonly legalName: string
  /** The time when the company was closed, in epoch milliseconds. It is absent while the company is open. */
  readonly closedAt?: number
  /** The values of the host's custom fields, by name. */
  readonly customFields?: Readonly<Record<string, unknown>>
}

/** The address of a location, for labels and invoices. `gstin` is the company's tax number in the location's state. */
export interface LocationAddress {
  readonly address1: string
  readonly address2: string | null
  readonly city: string
  readonly state: string
  readonly pincode: string
  readonly country: string
  readonly phone: string | null
  readonly gstin: string | null
}

/** A place where a company keeps stock. `code` is unique in the company. All amounts at a location are in its currency. */
export interface Location {
  readonly companyId: CompanyId
  readonly code: string
  readonly name: string
  /** The currency's ISO 4217 code. */
  readonly currency: string
  /** The hours between an order and the time by which its shipments must be packed. */
  readonly handlingHours: number
  readonly address: LocationAddress | null
  /** The values of the host's custom fields, by name. */
  readonly customFields?: Readonly<Record<string, unknown>>
}

export type AccountKind = AccountHolder["kind"]

/**
 * An account that can sign in. `username` is unique among the accounts of its kind. A change of the password or of `enabled`
 * increases `generation`, which ends all earlier tokens. A host without a sandbox rejects `sandbox` accounts.
 */
export interface Account {
  readonly username: string
  readonly passwordHash: string
  readonly enabled: boolean
  readonly generation: number
  readonly sandbox: boolean
  readonly principal: AccountHolder
}

/**
 * Port: stores companies, locations, accounts and secrets. Laws: rows are read as they were written. A second write replaces
 * the first, but stored `customFields` remain if the second has none. An unknown name is read as undefined.
 */
export class Directory extends Context.Service<
  Directory,
  {
    /** Stores companies. The call doesn't close or reopen them. */
    readonly putCompanies: (companies: ReadonlyArray<Company>) => Stored<void>
    readonly putLocations: (locations: ReadonlyArray<Location>) => Stored<void>
    readonly putAccounts: (accounts: ReadonlyArray<Account>) => Stored<void>
    /** Adds an account, or returns false if its kind has the username. One of several concurrent calls succeeds. */
    readonly addAccount: (account: Account) => Stored<boolean>
    /** Replaces the stored account if its generation is one lower. Returns false if no such account is stored. */
    readonly replaceAccount: (account: Account) => Stored<boolean>
    /** All companies, sorted by id. */
    readonly companies: Stored<ReadonlyArray<Company>>
    /** Closes a company at a time in epoch milliseconds. With null, the company is reopened. */
    readonly setClosed: (id: CompanyId, at: number | null) => Stored<void>
    /** The ids of the closed companies, sorted. */
    readonly closed: Stored<ReadonlyArray<CompanyId>>
    readonly company: (id: CompanyId) => Stored<Company | undefined>
    /** The locations of these companies, sorted by company and then by code. */
    readonly locations: (companies: ReadonlyArray<CompanyId>) => Stored<ReadonlyArray<Location>>
    readonly account: (kind: AccountKind, username: string) => Stored<Account | undefined>
    /** The accounts of this kind, sorted by username. */
    readonly accounts: (kind: AccountKind) => Stored<ReadonlyArray<Account>>
    /** Whether there is an integration that doesn't belong to the sandbox. */
    readonly hasOwnIntegrations: Stored<boolean>
    /** Returns the secret `name`, which is `candidate` if none was stored. Concurrent hosts get the same value. */
    readonly secret: (name: string, candidate: string) => Stored<string>
    /** Replaces the secret `old` under `name`. Returns false if another secret is stored there. */
    readonly replaceSecret: (name: string, old: string, secret: string) => Stored<boolean>
  }
>()("@crossdock/access/Directory") {}
