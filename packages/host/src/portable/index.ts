/** What a host needs from a runtime with `fetch` and WebCrypto: Workers, Deno, Bun or Node. */
import {
  DigestPortable,
  LinkSignerPortable,
  NoncePortable,
  PasswordHashPortable,
  type ScryptCost,
  SecretCipherPortable,
  TokenCodecJose
} from "@crossdock/crypto/portable"
import type { DocumentRenderer } from "@crossdock/documents"
import { WebhookSenderFetch } from "@crossdock/notifications/fetch"
import * as Layer from "effect/Layer"
import type { Runtime } from "../Runtime.ts"

/** Options of the runtime. */
export interface Options {
  /** Draws labels and invoices. Use `DocumentRendererPdf.layer(fonts)` of `@crossdock/documents/pdf`, or your own renderer. */
  readonly documents: Layer.Layer<DocumentRenderer>
  /** The cost of a password hash. The default is the recommended cost. Use a lower one if the runtime grants less time. */
  readonly passwordCost?: ScryptCost | undefined
}

/** A runtime without Node. It works on the same data. `WebhookSenderFetch` checks only the URLs of webhooks. */
export const runtime = ({ documents, passwordCost }: Options): Runtime => ({
  hashing: Layer.mergeAll(PasswordHashPortable.layer(passwordCost), DigestPortable.layer, NoncePortable.layer),
  signing: (secret, previous) =>
    Layer.merge(TokenCodecJose.layer(secret, previous), LinkSignerPortable.layer(secret, previous)),
  encryption: SecretCipherPortable.layer,
  documents,
  webhooks: ({ allowPrivate }) => WebhookSenderFetch.layer({ allowPrivate })
})
