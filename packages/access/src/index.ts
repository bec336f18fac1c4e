export * as Access from "./Access.ts"
export { CredentialsInvalid, Forbidden, TooManyAttempts, UnknownLocation } from "./AccessError.ts"
export type { Company, Location, LocationAddress } from "./Company.ts"
export {
  type Audience,
  type Claims,
  LinkSigner,
  PasswordHash,
  TokenCodec,
  TokenExpired,
  TokenInvalid,
  TokenMissing,
  tokenSeconds
} from "./Credentials.ts"
export { type Account, type AccountKind, Directory } from "./Directory.ts"
export * as Gstin from "./Gstin.ts"
export {
  type Caller,
  type Integration,
  type MarketplaceCaller,
  mayUse,
  type PlatformClient,
  type Principal,
  type System
} from "./Principal.ts"
export * as SignInAttempts from "./SignInAttempts.ts"
