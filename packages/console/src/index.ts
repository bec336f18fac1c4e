export type * from "./Console.ts"
export * as Console from "./Console.ts"
