/**
 * Port: links that are good without a token, as only this system could have written them.
 */
import * as Context from "effect/Context"

/**
 * Laws: `matches` is true for what `sign` gave for the same text, and for nothing else; it takes the same time wherever
 * the two differ. A signature is text that a path may hold.
 */
export class LinkSigner extends Context.Service<
  LinkSigner,
  {
    readonly sign: (text: string) => string
    readonly matches: (text: string, signature: string) => boolean
  }
>()("@crossdock/access/LinkSigner") {}
