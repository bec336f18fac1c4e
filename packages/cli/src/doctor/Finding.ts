/** The result of a check of `crossdock doctor`. */

/** A fault stops the host or a part of it. A warning will do so later, or is unsafe. `todo` is null if all is well. */
export interface Finding {
  readonly check: string
  readonly state: "ok" | "warning" | "fault"
  readonly says: string
  readonly todo: string | null
}

export const ok = (check: string, says: string): Finding => ({ check, state: "ok", says, todo: null })

export const warning = (check: string, says: string, todo: string): Finding => ({ check, state: "warning", says, todo })

export const fault = (check: string, says: string, todo: string): Finding => ({ check, state: "fault", says, todo })
