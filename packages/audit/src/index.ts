export type {
  AuditBody,
  AuditEntity,
  AuditRecord,
  AuditView,
  FreeForm,
  Head,
  LockedHead,
  NextRecord,
  Personal,
  RecordedBy,
  Stated
} from "./AuditChain.ts"
export * as AuditChain from "./AuditChain.ts"
export { logsOf, UserAgents, viewOf } from "./AuditChain.ts"
export * as AuditExport from "./AuditExport.ts"
export * as AuditProof from "./AuditProof.ts"
export * as AuditSearch from "./AuditSearch.ts"
export * from "./AuditStore.ts"
export * as AuditTrail from "./AuditTrail.ts"
export * as Checkpoint from "./Checkpoint.ts"
export * as CompanyEvent from "./CompanyEvent.ts"
export { EventLog, type EventPage, type EventWatchers, eventWatchers } from "./CompanyEvent.ts"
export * as CompanyWrite from "./CompanyWrite.ts"
export * as Contact from "./Contact.ts"
export * as EventConsumer from "./EventConsumer.ts"
export * as Events from "./Events.ts"
export * as FeedRestored from "./FeedRestored.ts"
export * as MerkleTree from "./MerkleTree.ts"
export * as Redaction from "./Redaction.ts"
