export * as Handlers from "./Handlers.ts"
export * as Procedures from "./Procedures.ts"
