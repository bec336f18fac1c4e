/**
 * Accounts that can sign in.
 */
import type { Principal } from "./Principal.ts"

/**
 * The kind of an account is that of its principal.
 */
export type AccountKind = Principal["kind"]

/**
 * An account. `username` is unique within its kind. A change of the password or of `enabled` increases `generation`, which
 * ends all earlier tokens. A host that runs without the sandbox rejects `sandbox` accounts.
 */
export interface Account {
  readonly username: string
  readonly passwordHash: string
  readonly enabled: boolean
  readonly generation: number
  readonly sandbox: boolean
  readonly principal: Principal
}
