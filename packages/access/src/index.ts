export * as Access from "./Access.ts"
export {
  type Audience,
  type Claims,
  CredentialsInvalid,
  LinkSigner,
  PasswordHash,
  TokenCodec,
  TokenExpired,
  TokenInvalid,
  TokenMissing,
  tokenSeconds
} from "./Credentials.ts"
export {
  type Account,
  type AccountKind,
  type Company,
  Directory,
  type Location,
  type LocationAddress
} from "./Directory.ts"
export * as Gstin from "./Gstin.ts"
export {
  type Caller,
  Forbidden,
  type Integration,
  type MarketplaceCaller,
  mayUse,
  type PlatformClient,
  type Principal,
  type System,
  seenBy,
  UnknownLocation
} from "./Principal.ts"
export * as SignInAttempts from "./SignInAttempts.ts"
export { TooManyAttempts } from "./SignInAttempts.ts"
