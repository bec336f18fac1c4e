/** The parts of Bun's SQLite that we use. Bun's own declarations would add all of Bun's globals. */
declare module "bun:sqlite" {
  interface Statement {
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
