export type { ScryptCost } from "../ScryptText.ts"
export * as TokenCodecJose from "../TokenCodecJose.ts"
export {
  DigestPortable,
  LinkSignerPortable,
  NoncePortable,
  PasswordHashPortable,
  SecretCipherPortable
} from "./PortableCrypto.ts"
