/**
 * Which host a test wants that runs in another process: the header `x-test-host`.
 */
export interface Wanted {
  readonly object: string
  readonly tokenSecret: string
  readonly lenientQuery: boolean
  readonly queryCredentials: boolean
  readonly docsUrl: string
}

/** Only what it means to choose: a test's other options are of hosts in its own process. */
export const wantedOf = (request: Request): Wanted => {
  const { docsUrl, lenientQuery, object, queryCredentials, tokenSecret } = JSON.parse(
    request.headers.get("x-test-host") ?? "{}"
  )
  return { docsUrl, lenientQuery, object, queryCredentials, tokenSecret }
}
