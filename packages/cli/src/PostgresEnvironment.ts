/**
 * libpq's variables of encryption. What the host, its commands and `pg_dump` connect with is the one URL.
 */

/** The parameter of a URL that a variable sets; undefined of others. */
const parameterOf = (variable: string): string | undefined =>
  variable === "PGCHANNELBINDING" ? "channel_binding" : /^PG(SSL[A-Z]+)$/.exec(variable)?.[1]?.toLowerCase()

/** The addresses of PostgreSQL with each parameter that only a variable gives. */
export const merged = (
  environment: Readonly<Record<string, string | undefined>>
): Readonly<Record<string, string | undefined>> => {
  const given = Object.entries(environment).flatMap(([variable, value]) => {
    const parameter = parameterOf(variable)
    return parameter === undefined || !value ? [] : [[parameter, value] as const]
  })
  const addressOf = (name: string) => {
    const text = environment[name]
    if (text === undefined || !/^postgres(ql)?:/.test(text) || !URL.canParse(text)) return text
    const url = new URL(text)
    const missing = given.filter(([parameter]) => !url.searchParams.has(parameter))
    for (const [parameter, value] of missing) url.searchParams.set(parameter, value)
    return missing.length === 0 ? text : url.href
  }
  return {
    ...environment,
    DATABASE_URL: addressOf("DATABASE_URL"),
    DATABASE_POOLER_URL: addressOf("DATABASE_POOLER_URL")
  }
}
