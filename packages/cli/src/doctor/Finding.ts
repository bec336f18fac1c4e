/** The result of a check of `crossdock doctor`. */
import type { Finding } from "@crossdock/host"

export type { Finding }

export const ok = (check: string, says: string): Finding => ({ check, state: "ok", says, todo: null })

export const warning = (check: string, says: string, todo: string): Finding => ({ check, state: "warning", says, todo })

export const fault = (check: string, says: string, todo: string): Finding => ({ check, state: "fault", says, todo })
