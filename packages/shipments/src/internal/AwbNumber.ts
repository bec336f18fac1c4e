/**
 * An AWB number as it is stored and looked up: in one composition of its letters, with single spaces and none around it. Case
 * counts.
 */
export const stored = (awb: string): string => awb.normalize().replace(/\s+/gu, " ").trim()
