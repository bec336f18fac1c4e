/** The parts of Cloudflare's types that this example uses. They are compatible with `@cloudflare/workers-types`. */
import type * as DurableObject from "@crossdock/storage-sql/DurableObject"

/** The storage of a Durable Object: its SQLite, and its alarm, which wakes the object without a request. */
export interface Storage extends DurableObject.DurableObjectStorage {
  readonly getAlarm: () => Promise<number | null>
  readonly setAlarm: (at: number) => Promise<void>
}

export interface State {
  readonly storage: Storage
  /**
   * Makes requests wait until the work has ended. If the work fails, the object ends, and the next request makes another
   * object.
   */
  readonly blockConcurrencyWhile: <A>(work: () => Promise<A>) => Promise<A>
}

/** A class of Durable Objects, as the Worker calls it. */
export interface Objects {
  readonly idFromName: (name: string) => object
  readonly get: (id: object) => { readonly fetch: (request: Request) => Promise<Response> }
}

/** The settings of the deployed Worker. */
export interface Env {
  readonly SHOP: Objects
  /** The address by which callers reach the Worker, without a trailing slash. */
  readonly PUBLIC_URL: string
  /** A secret of at least 32 characters that allows `PUT /setup`. */
  readonly SETUP_KEY: string
  /** A key of 32 bytes as hex or Base64. It encrypts the secrets of webhooks in the object's database. */
  readonly SECRETS_KEY?: string
  /** The previous `SECRETS_KEY`. It still decrypts after `SECRETS_KEY` was changed. */
  readonly SECRETS_KEY_PREVIOUS?: string
  /** With "true", webhooks are also sent to private addresses, as tests do. */
  readonly PRIVATE_WEBHOOKS?: string
}
