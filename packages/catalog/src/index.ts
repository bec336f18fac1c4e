export * as CatalogImport from "./CatalogImport.ts"
export * from "./CatalogStore.ts"
export * from "./Product.ts"
export * from "./ReferenceData.ts"
