/**
 * What a URL says, for finding secrets in it.
 */

const hexOf = (char: string | undefined): number =>
  char !== undefined && /^[0-9a-f]$/i.test(char) ? Number.parseInt(char, 16) : Number.NaN

/**
 * The text with every escape read, also one that only appears when others are read, and in one form for every width of its
 * letters: `%25%33%46` and `%EF%BC%9F` are both `?`. Text that is no valid escape stays as it is. It takes a time in proportion to the length.
 */
export const unescaped = (url: string): string => {
  if (!/[^\x20-\x24\x26-\x7e]/.test(url)) return url
  const read: Array<string> = []
  for (const char of url) {
    read.push(char)
    while (read.at(-3) === "%") {
      const code = 16 * hexOf(read.at(-2)) + hexOf(read.at(-1))
      if (Number.isNaN(code)) break
      read.splice(-3, 3, String.fromCharCode(code))
    }
  }
  // A URL arrives as bytes, one in each character.
  const bytes = Uint8Array.from(read, (char) => char.charCodeAt(0))
  return new TextDecoder().decode(bytes).normalize("NFKC")
}
