/** What a host needs from a runtime with `fetch` and WebCrypto: Workers, Deno, Bun or Node. */
import * as Crypto from "@crossdock/crypto/portable"
import type { DocumentRenderer } from "@crossdock/documents"
import { WebhookSenderFetch } from "@crossdock/notifications/fetch"
import * as Layer from "effect/Layer"
import type { Runtime } from "../Runtime.ts"

/** Options of the runtime. */
export interface Options {
  /** Draws labels and invoices. Use `DocumentRendererPdf.layer(fonts)` of `@crossdock/documents/pdf` or your own renderer. */
  readonly documents: Layer.Layer<DocumentRenderer>
  /** The cost of a password hash. The default is the recommended cost. Use a lower one if the runtime grants less time. */
  readonly passwordCost?: Crypto.ScryptCost | undefined
}

/** A runtime without Node, for the same data as Node's. Of a webhook it checks the URL, but not the address behind it. */
export const runtime = ({ documents, passwordCost }: Options): Runtime => ({
  hashing: Layer.mergeAll(
    Crypto.PasswordHashPortable.layer(passwordCost),
    Crypto.DigestPortable.layer,
    Crypto.NoncePortable.layer
  ),
  signing: (secret, previous) =>
    Layer.merge(Crypto.TokenCodecJose.layer(secret, previous), Crypto.LinkSignerPortable.layer(secret, previous)),
  encryption: Crypto.SecretCipherPortable.layer,
  documents,
  webhooks: ({ allowPrivate }) => WebhookSenderFetch.layer({ allowPrivate })
})
