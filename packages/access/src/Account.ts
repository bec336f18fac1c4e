/**
 * What is kept of those who may sign in.
 */
import type { Principal } from "./Principal.ts"

export type AccountKind = Principal["kind"]

/**
 * `username` is unique within its kind. A change of password or of `enabled` raises `generation`, which ends the tokens
 * given before. `sandbox` accounts are rejected by a host that runs without the sandbox.
 */
export interface Account {
  readonly username: string
  readonly passwordHash: string
  readonly enabled: boolean
  readonly generation: number
  readonly sandbox: boolean
  readonly principal: Principal
}
