export * as DocumentRendererNode from "./DocumentRendererNode.ts"
export * as Fonts from "./Fonts.ts"
