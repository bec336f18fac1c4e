/** A module of Cloudflare's type "Data". */
declare module "*.ttf" {
  const bytes: ArrayBuffer
  export default bytes
}
