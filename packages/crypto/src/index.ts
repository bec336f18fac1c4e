export {
  DigestNode,
  LinkSignerHmac,
  NonceNode,
  PasswordHashScrypt,
  SecretCipherNode,
  SignerNode
} from "./NodeCrypto.ts"
export type { ScryptCost } from "./ScryptText.ts"
export * as TokenCodecJose from "./TokenCodecJose.ts"
