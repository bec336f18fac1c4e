export * as DigestNode from "./DigestNode.ts"
export * as NonceNode from "./NonceNode.ts"
export * as PasswordHashScrypt from "./PasswordHashScrypt.ts"
export * as TokenCodecJose from "./TokenCodecJose.ts"
