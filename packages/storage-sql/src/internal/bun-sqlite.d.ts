/** The used parts. Bun's own declarations add all of its globals. */
declare module "bun:sqlite" {
  interface Statement {
    /** Empty for a statement without rows. */
    readonly columnNames: ReadonlyArray<string>
    all(...params: ReadonlyArray<unknown>): ReadonlyArray<object>
    values(...params: ReadonlyArray<unknown>): ReadonlyArray<ReadonlyArray<unknown>>
    run(...params: ReadonlyArray<unknown>): { readonly changes: number }
  }

  export class Database {
    constructor(filename: string)
    readonly inTransaction: boolean
    prepare(sql: string): Statement
    run(sql: string): unknown
    close(): void
  }
}
