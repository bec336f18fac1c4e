/**
 * What a host needs of the runtime that it runs on. `@crossdock/host/node` has it for Node.
 */
import type { LinkSigner, PasswordHash, TokenCodec } from "@crossdock/access"
import type { Digest } from "@crossdock/audit"
import type { DocumentRenderer } from "@crossdock/documents"
import type { Nonce } from "@crossdock/kernel"
import type { WebhookSender } from "@crossdock/notifications"
import type * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import type { Flow } from "./ApplicationTransaction.ts"

/** Hashes, signatures, encryption, PDFs and webhooks. */
export interface Runtime {
  readonly hashing: Layer.Layer<PasswordHash | Digest | Nonce>
  /** Signs tokens and links with `secret`, and accepts those that `previous` signed. */
  readonly signing: (
    secret: Redacted.Redacted,
    previous: ReadonlyArray<Redacted.Redacted>
  ) => Layer.Layer<TokenCodec | LinkSigner>
  /** Encrypts stored secrets with a key of 32 bytes, and decrypts also what the `previous` ones encrypted. */
  readonly encryption: (
    key: Redacted.Redacted<Uint8Array>,
    previous: ReadonlyArray<Redacted.Redacted<Uint8Array>>
  ) => Layer.Layer<never>
  readonly documents: Layer.Layer<DocumentRenderer>
  /** `allowPrivate` also sends to loopback and private addresses, which only a sandbox should. */
  readonly webhooks: (options: { readonly allowPrivate: boolean }) => Layer.Layer<WebhookSender>
  /** Recognizes a call in the middle of a transaction that would wait for it; without it, such a call waits until it fails. */
  readonly flow?: Flow
}
