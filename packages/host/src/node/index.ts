/** Everything that a host needs of Node. */
import { AsyncLocalStorage } from "node:async_hooks"
import {
  DigestNode,
  LinkSignerHmac,
  NonceNode,
  PasswordHashScrypt,
  type ScryptCost,
  SecretCipherNode,
  TokenCodecJose
} from "@crossdock/crypto"
import { DocumentRendererNode } from "@crossdock/documents/node"
import { WebhookSenderNode } from "@crossdock/notifications/node"
import * as Layer from "effect/Layer"
import type { Flow, Runtime } from "../Runtime.ts"

export * as PaymentProviderHttp from "./PaymentProviderHttp.ts"
export { addressOf, requestOf } from "./Requests.ts"

export interface Options {
  /** The cost of hashing a password: by default the recommended one, or a low one for tests. */
  readonly passwordCost?: ScryptCost | undefined
  readonly documents?: Partial<DocumentRendererNode.Settings>
}

const flow = (): Flow => {
  const current = new AsyncLocalStorage<object>()
  return { run: (value, work) => current.run(value, work), current: () => current.getStore() }
}

/** The runtime of Node: scrypt, jose, drawing threads, and webhooks that guard against private addresses. */
export const runtime = ({ documents, passwordCost }: Options = {}): Runtime => ({
  hashing: Layer.mergeAll(PasswordHashScrypt.layer(passwordCost), DigestNode.layer, NonceNode.layer),
  signing: (secret, previous) =>
    Layer.merge(TokenCodecJose.layer(secret, previous), LinkSignerHmac.layer(secret, previous)),
  encryption: SecretCipherNode.layer,
  documents: DocumentRendererNode.layer(documents),
  webhooks: WebhookSenderNode.layer,
  flow: flow()
})
