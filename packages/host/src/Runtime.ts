/** The parts of a host: the ports of a storage, a runtime (`@crossdock/host/node` for Node), and the keys of secrets. */
import type { Directory, LinkSigner, PasswordHash, SignInAttempts, TokenCodec } from "@crossdock/access"
import type { AuditChain, AuditStore, EventLog } from "@crossdock/audit"
import type { BillingStore } from "@crossdock/billing"
import type { CatalogWriteStore, ProductStore, ReferenceStore, SkuShipments, SkuStock } from "@crossdock/catalog"
import type { DocumentRenderer } from "@crossdock/documents"
import type { Listings, StockLevels } from "@crossdock/inventory"
import { type Idempotency, type Ids, SecretCipher, type Transaction } from "@crossdock/kernel"
import type { MarketplaceStore } from "@crossdock/marketplaces"
import type { EventEndpointStore, NotificationStore, WebhookSender } from "@crossdock/notifications"
import type { OrderStore } from "@crossdock/orders"
import type { PriceStore } from "@crossdock/pricing"
import type { ShipmentStore } from "@crossdock/shipments"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

/** The ports of a storage. A host can replace groups of them: docs/guides/existing-backend.md. */
export type Ports =
  | Transaction.Transaction
  | Idempotency.Idempotency
  | Directory
  | SignInAttempts.SignInAttempts
  | ProductStore
  | ReferenceStore
  | CatalogWriteStore
  | SkuStock
  | SkuShipments
  | StockLevels
  | Listings
  | PriceStore
  | OrderStore
  | ShipmentStore
  | MarketplaceStore
  | NotificationStore
  | AuditStore
  | EventLog
  | EventEndpointStore
  | BillingStore

/** Recognizes calls of the same transaction, even across asynchronous functions. */
export interface Flow {
  readonly run: <A>(value: object, work: () => A) => A
  readonly current: () => unknown
}

/** What a host needs from a runtime: hashes, signatures, encryption, PDFs and webhooks. */
export interface Runtime {
  readonly hashing: Layer.Layer<PasswordHash | AuditChain.Digest | Ids.Nonce>
  /** Signs tokens and links with `secret`. Signatures of `previous` secrets are accepted too. */
  readonly signing: (
    secret: Redacted.Redacted,
    previous: ReadonlyArray<Redacted.Redacted>
  ) => Layer.Layer<TokenCodec | LinkSigner>
  /** Encrypts stored secrets with a 32-byte key. Secrets that were encrypted with `previous` keys can be decrypted too. */
  readonly encryption: (
    key: Redacted.Redacted<Uint8Array>,
    previous: ReadonlyArray<Redacted.Redacted<Uint8Array>>
  ) => Layer.Layer<never>
  readonly documents: Layer.Layer<DocumentRenderer>
  /** Sends webhooks. `allowPrivate` allows loopback and private addresses, for sandboxes. */
  readonly webhooks: (options: { readonly allowPrivate: boolean }) => Layer.Layer<WebhookSender>
  /** Detects calls in a transaction that would wait for its end. Without it, such calls hang until they time out. */
  readonly flow?: Flow
}

/** The host can't start. The message says what to change. */
export class SetupError extends Schema.TaggedError<SetupError>("@crossdock/host/SetupError")("SetupError", {
  message: Schema.String
}) {}

/** The keys of stored secrets: 32 bytes in hex or Base64, the same on all hosts. `previous` only decrypts. */
export interface SecretKeys {
  readonly key: Redacted.Redacted
  readonly previous?: Redacted.Redacted | undefined
}

const bytesOf = (name: string, key: Redacted.Redacted) => {
  const bytes = SecretCipher.keyOf(Redacted.value(key))
  return bytes === undefined
    ? new SetupError({
        message: `${name} must be 32 bytes as hex or Base64: make one with \`openssl rand -base64 32\``
      })
    : Effect.succeed(Redacted.make<Uint8Array>(bytes))
}

/** The runtime's `SecretCipher`. Without keys, secrets are stored as plain text. */
export const secretCipher = (runtime: Runtime, keys: SecretKeys | undefined): Layer.Layer<never, SetupError> =>
  keys === undefined
    ? Layer.empty
    : Layer.unwrap(
        Effect.gen(function* () {
          const key = yield* bytesOf("secrets.key", keys.key)
          const previous = keys.previous === undefined ? [] : [yield* bytesOf("secrets.previous", keys.previous)]
          return runtime.encryption(key, previous)
        })
      )
