export * as CheckpointKey from "./CheckpointKey.ts"
export {
  DigestNode,
  LinkSignerHmac,
  NonceNode,
  PasswordHashScrypt,
  SecretCipherNode
} from "./NodeCrypto.ts"
export type { ScryptCost } from "./PasswordHashScrypt.ts"
export * as TokenCodecJose from "./TokenCodecJose.ts"
