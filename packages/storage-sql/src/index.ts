export * as Migrations from "./Migrations.ts"
export * as Postgres from "./Postgres.ts"
export * as Sqlite from "./Sqlite.ts"
export * as StorageSql from "./StorageSql.ts"
