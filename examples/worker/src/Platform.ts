/** The used part of Cloudflare's types, compatible with `@cloudflare/workers-types`. */
import type * as DurableObject from "@crossdock/storage-sql/DurableObject"

/** The storage of a Durable Object: its SQLite, and its alarm, which wakes the object without a request. */
export interface Storage extends DurableObject.DurableObjectStorage {
  readonly getAlarm: () => Promise<number | null>
  readonly setAlarm: (at: number) => Promise<void>
}

export interface State {
  readonly storage: Storage
  /** Requests wait until the work has ended. If it fails, the object ends, and the next request makes another. */
  readonly blockConcurrencyWhile: <A>(work: () => Promise<A>) => Promise<A>
}

/**
 * A class of Durable Objects, as the Worker calls them.
 */
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
  /** 32 bytes as hex or Base64, with which the secrets of webhooks are encrypted in the object's database. */
  readonly SECRETS_KEY?: string
  /** Still decrypts, after `SECRETS_KEY` was changed. */
  readonly SECRETS_KEY_PREVIOUS?: string
  /** "true" sends webhooks to private addresses too, as tests do. */
  readonly PRIVATE_WEBHOOKS?: string
}
