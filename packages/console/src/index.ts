export type * from "./About.ts"
export * as Console from "./Console.ts"
