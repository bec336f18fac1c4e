/**
 * Which commits of a SQLite database are on the disk. Under `PRAGMA synchronous = NORMAL` a COMMIT only writes to the log. The log is then
 * synced beside the event loop, once for all commits so far, while the next units run. If the machine crashes, the first commits are there
 * and the last ones are not, so an answer waits for the sync of all commits that it has seen.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { SqlError } from "effect/sql/SqlError"
import { sqlError } from "./SqliteConnection.ts"

type Synced = Exit.Exit<void, SqlError>
type Waiting = Array<(synced: Synced) => void>

export interface SqliteLog {
  readonly isBusy: () => boolean
  /** Why no commit is known to be on the disk any more: a sync failed. A later one may succeed without the data of the failed one. */
  readonly failure: () => Exit.Exit<never, SqlError> | undefined
  /** Calls `ended` when all commits so far are on the disk, at once if they are. `isNew` if there is one since the last call. */
  readonly onSynced: (isNew: boolean, ended: (synced: Synced) => void) => void
  /** Waits until all commits so far are on the disk. */
  readonly synced: (isNew: boolean) => Effect.Effect<void, SqlError>
}

/** The log of a database whose COMMIT syncs needs no `sync`. */
export const make = (sync: (() => Promise<void>) | undefined): SqliteLog => {
  let running: Waiting | undefined
  let next: Waiting = []
  let lost: Exit.Exit<never, SqlError> | undefined

  const start = (write: () => Promise<void>, waiting: Waiting) => {
    running = waiting
    next = []
    const end = (synced: Synced) => {
      const following = next
      running = undefined
      if (lost === undefined && following.length > 0) start(write, following)
      for (const ended of lost === undefined ? waiting : [...waiting, ...following]) ended(synced)
    }
    write().then(
      () => end(Exit.void),
      (cause) => {
        lost = Exit.fail(sqlError(new Error("The disk did not keep a commit. Restart the host", { cause })))
        end(lost)
      }
    )
  }

  const onSynced: SqliteLog["onSynced"] = (isNew, ended) => {
    if (lost !== undefined) ended(lost)
    else if (sync === undefined) ended(Exit.void)
    else if (running === undefined) isNew ? start(sync, [ended]) : ended(Exit.void)
    else if (isNew || next.length > 0) next.push(ended)
    else running.push(ended)
  }

  return {
    isBusy: () => running !== undefined,
    failure: () => lost,
    onSynced,
    synced: (isNew) =>
      Effect.suspend(() =>
        running === undefined && !isNew
          ? (lost ?? Effect.void)
          : Effect.callback<void, SqlError>((resume) => onSynced(isNew, resume))
      )
  }
}
