export * as Migrations from "./Migrations.ts"
export * as StorageSql from "./StorageSql.ts"
