/** What the console's page begins with. */

/** A move of the lifecycle. `operation` is a key of `Lifecycle.operations`, or "status"; `by` is empty if the host makes it. */
export interface Move {
  readonly from: string
  readonly to: string
  readonly operation: string
  readonly name: string
  readonly by: ReadonlyArray<string>
}

/** An account of the sandbox. */
export interface Login {
  readonly kind: "integration" | "marketplace" | "platform_client" | "operator"
  readonly username: string
  readonly password: string
  readonly companyId?: number
  readonly company?: string
}

/** `operator` is the signed-in one; `logins` are the sandbox's, none elsewhere. */
export interface About {
  readonly logins: ReadonlyArray<Login>
  readonly operator: string | null
  readonly statuses: ReadonlyArray<string>
  readonly moves: ReadonlyArray<Move>
}
