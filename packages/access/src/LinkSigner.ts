/**
 * Port: signatures of links, which are valid without a token. Source: docs/reference/documents.md#links.
 */
import * as Context from "effect/Context"

/**
 * Laws: `matches` is true only for the signature that `sign` returned for the same text, and its duration doesn't depend on
 * where the two differ. A signature can be part of a path.
 */
export class LinkSigner extends Context.Service<
  LinkSigner,
  {
    readonly sign: (text: string) => string
    readonly matches: (text: string, signature: string) => boolean
  }
>()("@crossdock/access/LinkSigner") {}
