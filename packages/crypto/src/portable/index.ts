export type { ScryptCost } from "../PasswordHashScrypt.ts"
export * as TokenCodecJose from "../TokenCodecJose.ts"
export {
  DigestPortable,
  LinkSignerPortable,
  NoncePortable,
  PasswordHashPortable,
  SecretCipherPortable
} from "./PortableCrypto.ts"
