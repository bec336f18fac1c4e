declare module "fontkit" {
  export const create: (bytes: Uint8Array) => import("../FontSet.ts").Font
}
declare module "bidi-js" {
  const bidiFactory: () => {
    readonly getEmbeddingLevels: (
      text: string,
      direction?: "ltr" | "rtl"
    ) => { readonly levels: Uint8Array; readonly paragraphs: ReadonlyArray<{ readonly level: number }> }
    readonly getMirroredCharacter: (character: string) => string | null
  }
  export default bidiFactory
}
