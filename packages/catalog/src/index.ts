export * as CatalogImport from "./CatalogImport.ts"
export {
  type CatalogWrite,
  CatalogWriteStore,
  type ProductFilter,
  ProductStore,
  ReferenceStore,
  type SoldSku
} from "./CatalogStore.ts"
export * as CatalogWrites from "./CatalogWrites.ts"
export * as Gtin from "./Gtin.ts"
export * as JsonSchema from "./JsonSchema.ts"
export {
  isBatchTracked,
  isReturnless,
  type KeptProduct,
  type Product,
  type ProductDetails,
  returnlessValues,
  type Size,
  type TradeItemNumber,
  type Trader
} from "./Product.ts"
export * as ProductChanges from "./ProductChanges.ts"
export { type ProductErrorCode, type ProductErrorCodeName, productErrorCodes } from "./ProductErrorCodes.ts"
export * as ProductFeed from "./ProductFeed.ts"
export * as ProductForm from "./ProductForm.ts"
export * as ProductInput from "./ProductInput.ts"
export * as ProductRules from "./ProductRules.ts"
export * as ProductShape from "./ProductShape.ts"
export * as Products from "./Products.ts"
export type {
  Attribute,
  Brand,
  Category,
  Department,
  HsCode,
  ReferenceData,
  TaxRule,
  Template
} from "./ReferenceData.ts"
export * as ReferenceFile from "./ReferenceFile.ts"
export * as ReferenceIndex from "./ReferenceIndex.ts"
export * as ReferenceQuery from "./ReferenceQuery.ts"
export * as References from "./References.ts"
export * as Shape from "./Shape.ts"
export { Limits } from "./Shape.ts"
export * as ShapeCheck from "./ShapeCheck.ts"
export { SkuShipments, SkuStock } from "./SkuUse.ts"
