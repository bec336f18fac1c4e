export * as DocumentRendererNode from "./DocumentRendererNode.ts"
