export * as DocumentRendererPdf from "./DocumentRendererPdf.ts"
export * as FontSet from "./FontSet.ts"
