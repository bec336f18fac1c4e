export * as DocumentRendererPdf from "./DocumentRendererPdf.ts"
export * as FontSet from "./FontSet.ts"
export * as Rendering from "./Rendering.ts"
