export * as Audit from "./Audit.ts"
export * from "./AuditLog.ts"
export * from "./AuditRecord.ts"
export * from "./Digest.ts"
