export type { ScryptCost } from "../Adapters.ts"
export * as TokenCodecJose from "../TokenCodecJose.ts"
export {
  DigestPortable,
  LinkSignerPortable,
  NoncePortable,
  PasswordHashPortable,
  SecretCipherPortable
} from "./PortableCrypto.ts"
