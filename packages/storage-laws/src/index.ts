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
export { type Options, type PortName, type PortsOf, portLaws, storageLaws } from "./StorageLaws.ts"
