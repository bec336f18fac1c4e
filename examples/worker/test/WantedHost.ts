/** Which host a test wants in another process. The header `x-test-host` contains it. */
export interface Wanted {
  readonly object: string
  readonly tokenSecret: string
  readonly lenientQuery: boolean
  readonly queryCredentials: boolean
  readonly docsUrl: string
}

/** Only the options that a test chooses on purpose. Its other options are for hosts in its own process. */
export const wantedOf = (request: Request): Wanted => {
  const { docsUrl, lenientQuery, object, queryCredentials, tokenSecret } = JSON.parse(
    request.headers.get("x-test-host") ?? "{}"
  )
  return { docsUrl, lenientQuery, object, queryCredentials, tokenSecret }
}
