/**
 * A courier's name is the same in any case and without the blanks around it. Upper case also makes "ß" and "SS" one.
 */
export const comparable = (name: string): string => name.normalize().trim().toUpperCase()
