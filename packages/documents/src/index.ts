export * as AmountInWords from "./AmountInWords.ts"
export { customerParty, type DocumentParty, sellerParty } from "./DocumentParty.ts"
export type { DocumentFailure, OwnPaper, PrintSize } from "./DocumentRenderer.ts"
export {
  DocumentRenderer,
  DocumentsBusy,
  DocumentTooLarge,
  DocumentTooSlow,
  OwnPapers,
  printSizes,
  renderingLimits
} from "./DocumentRenderer.ts"
export * as GoodsAndServicesTax from "./GoodsAndServicesTax.ts"
export type { PrintedInvoice, PrintedInvoiceLine } from "./PrintedInvoice.ts"
export { dayText, dividedEqually, invoicedPart, lineOf, taxableOf, totalsOf } from "./PrintedInvoice.ts"
export { goodsAndServicesTax, type SalesTax, SalesTaxPolicy } from "./SalesTax.ts"
export * as ShipmentDocuments from "./ShipmentDocuments.ts"
export { invoicesOf } from "./ShipmentInvoice.ts"
export { labelOf, type ShippingLabel, weightGrams } from "./ShippingLabel.ts"
