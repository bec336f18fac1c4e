export type {
  AccessPorts,
  BasePorts,
  CatalogPorts,
  EveryPort,
  LedgerPorts,
  MarketplacePorts,
  OrderPorts,
  PortName,
  PortsOf,
  StockPorts
} from "./EveryLaw.ts"
export * as Seed from "./Seed.ts"
export { type Options, portLaws, storageLaws } from "./StorageLaws.ts"
