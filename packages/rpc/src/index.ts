export * as Procedures from "./Procedures.ts"
export * as RpcTransport from "./RpcTransport.ts"
export * as Server from "./Server.ts"
