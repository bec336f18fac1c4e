/** Sellers, their locations and the accounts that can sign in, and the port that stores them. */
import type { CompanyId, StorageError } from "@crossdock/kernel"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { AccountHolder } from "./Principal.ts"

/** A seller. */
export interface Company {
  readonly id: CompanyId
  readonly name: string
  /** The name on invoices and labels. */
  readonly legalName: string
  /** Epoch milliseconds; absent while it is open. */
  readonly closedAt?: number
  /** The values of the host's own fields, by name. */
  readonly customFields?: Readonly<Record<string, unknown>>
}

/** A location's address for labels and invoices. `gstin` is the company's tax number there. */
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

/** A place where a company keeps stock. `code` is unique in the company; all amounts are in the location's currency. */
export interface Location {
  readonly companyId: CompanyId
  readonly code: string
  readonly name: string
  /** ISO 4217. */
  readonly currency: string
  /** Hours from the order to the time by which a shipment must be packed. */
  readonly handlingHours: number
  readonly address: LocationAddress | null
  /** The values of the host's own fields, by name. */
  readonly customFields?: Readonly<Record<string, unknown>>
}

export type AccountKind = AccountHolder["kind"]

/**
 * An account. `username` is unique within its kind. A change of password or `enabled` increases `generation`, which ends all
 * earlier tokens. A host without the sandbox rejects `sandbox` accounts.
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
 * Laws: rows read back as written. A second write replaces the first, but companies and locations written without
 * `customFields` keep theirs. An unknown name is undefined, never a failure.
 */
export class Directory extends Context.Service<
  Directory,
  {
    /** Doesn't close or reopen a company. */
    readonly putCompanies: (companies: ReadonlyArray<Company>) => Effect.Effect<void, StorageError>
    readonly putLocations: (locations: ReadonlyArray<Location>) => Effect.Effect<void, StorageError>
    readonly putAccounts: (accounts: ReadonlyArray<Account>) => Effect.Effect<void, StorageError>
    /** Adds an account, unless its kind and username are taken (false). Of concurrent calls, one succeeds. */
    readonly addAccount: (account: Account) => Effect.Effect<boolean, StorageError>
    /** Replaces the account of the generation before; false if that one isn't stored. */
    readonly replaceAccount: (account: Account) => Effect.Effect<boolean, StorageError>
    /** By id. */
    readonly companies: Effect.Effect<ReadonlyArray<Company>, StorageError>
    /** Closes a company, or reopens it with null. */
    readonly setClosed: (id: CompanyId, at: number | null) => Effect.Effect<void, StorageError>
    /** By id. */
    readonly closed: Effect.Effect<ReadonlyArray<CompanyId>, StorageError>
    readonly company: (id: CompanyId) => Effect.Effect<Company | undefined, StorageError>
    /** The locations of these companies, ordered by company, then code. */
    readonly locations: (companies: ReadonlyArray<CompanyId>) => Effect.Effect<ReadonlyArray<Location>, StorageError>
    readonly account: (kind: AccountKind, username: string) => Effect.Effect<Account | undefined, StorageError>
    /** Ordered by username. */
    readonly accounts: (kind: AccountKind) => Effect.Effect<ReadonlyArray<Account>, StorageError>
    /** Whether any integration exists that isn't the sandbox's. */
    readonly hasOwnIntegrations: Effect.Effect<boolean, StorageError>
    /** The secret stored under `name`; stores `candidate` if it is missing. Concurrent hosts all get the same value. */
    readonly secret: (name: string, candidate: string) => Effect.Effect<string, StorageError>
    /** Replaces the secret `old` under `name`; false if `old` isn't stored there. */
    readonly replaceSecret: (name: string, old: string, secret: string) => Effect.Effect<boolean, StorageError>
  }
>()("@crossdock/access/Directory") {}
