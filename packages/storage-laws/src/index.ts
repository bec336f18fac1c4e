export type {
  AccessPorts,
  BasePorts,
  CatalogPorts,
  EveryPort,
  LedgerPorts,
  MarketplacePorts,
  OrderPorts,
  StockPorts
} from "./PortGroups.ts"
export * as Seed from "./Seed.ts"
export { type Options, portLaws, storageLaws } from "./StorageLaws.ts"
export type { PortName, PortsOf } from "./Suites.ts"
