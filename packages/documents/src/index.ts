export * as AmountInWords from "./AmountInWords.ts"
export { customerParty, type DocumentParty, sellerParty } from "./DocumentParty.ts"
export {
  type DocumentFailure,
  DocumentRenderer,
  DocumentsBusy,
  DocumentTooLarge,
  DocumentTooSlow,
  type OwnPaper,
  OwnPapers,
  type PrintSize,
  printSizes,
  renderingLimits
} from "./DocumentRenderer.ts"
export * as GoodsAndServicesTax from "./GoodsAndServicesTax.ts"
export {
  dayText,
  dividedEqually,
  invoicedPart,
  lineOf,
  type PrintedInvoice,
  type PrintedInvoiceLine,
  taxableOf,
  totalsOf
} from "./PrintedInvoice.ts"
export { goodsAndServicesTax, type SalesTax, SalesTaxPolicy } from "./SalesTax.ts"
export * as ShipmentDocuments from "./ShipmentDocuments.ts"
export { invoicesOf } from "./ShipmentInvoice.ts"
export { labelOf, type ShippingLabel, weightGrams } from "./ShippingLabel.ts"
