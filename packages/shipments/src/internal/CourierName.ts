import { Text } from "@crossdock/kernel"

/**
 * A courier's name for comparing: in any case, composition and width, and with any blanks. Upper case also makes "ß" and "SS"
 * one.
 */
export const comparable = (name: string): string =>
  Text.folded(Text.folded(name).toUpperCase()).replace(/\s+/gu, " ").trim()
