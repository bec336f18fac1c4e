export * as Access from "./Access.ts"
export {
  CredentialsInvalid,
  Forbidden,
  TokenExpired,
  TokenInvalid,
  TokenMissing,
  TooManyAttempts,
  UnknownLocation
} from "./AccessError.ts"
export type { Account, AccountKind } from "./Account.ts"
export type { Company, Location, LocationAddress } from "./Company.ts"
export { Directory } from "./Directory.ts"
export * as Gstin from "./Gstin.ts"
export { Limits } from "./Limits.ts"
export { LinkSigner } from "./LinkSigner.ts"
export { PasswordHash } from "./PasswordHash.ts"
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
export { type Audience, type Claims, TokenCodec } from "./TokenCodec.ts"
