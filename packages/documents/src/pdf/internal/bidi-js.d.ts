declare module "bidi-js" {
  const bidiFactory: () => {
    readonly getEmbeddingLevels: (text: string) => { readonly levels: Uint8Array }
    readonly getMirroredCharacter: (character: string) => string | null
  }
  export default bidiFactory
}
