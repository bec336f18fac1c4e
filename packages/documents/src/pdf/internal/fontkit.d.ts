declare module "fontkit" {
  export const create: (bytes: Uint8Array) => import("../FontSet.ts").Font
}
