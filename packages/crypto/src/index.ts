export * as DigestNode from "./DigestNode.ts"
export * as LinkSignerHmac from "./LinkSignerHmac.ts"
export * as PasswordHashScrypt from "./PasswordHashScrypt.ts"
export * as TokenCodecJose from "./TokenCodecJose.ts"
