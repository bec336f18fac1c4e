export type { ScryptCost } from "./Adapters.ts"
export * as CheckpointKey from "./CheckpointKey.ts"
export {
  DigestNode,
  LinkSignerHmac,
  NonceNode,
  PasswordHashScrypt,
  SecretCipherNode
} from "./NodeCrypto.ts"
export * as TokenCodecJose from "./TokenCodecJose.ts"
