export * as WebhookSenderFetch from "./WebhookSenderFetch.ts"
