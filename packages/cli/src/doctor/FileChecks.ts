/**
 * Checks of a SQLite database's file. PostgreSQL's server looks after its own.
 */
import { access, constants, stat, statfs } from "node:fs/promises"
import { dirname, resolve } from "node:path"
import { Effect } from "effect"
import { type Finding, fault, ok, warning } from "./Finding.ts"

const mebibyte = 2 ** 20

const sizeText = (bytes: number): string => `${Math.floor(bytes / mebibyte).toLocaleString("en-US")} MiB`

/**
 * `free` and `size` in bytes. A database needs as much as its own size for a copy, and a while to grow.
 */
export const disk = (free: number, size: number): Finding => {
  const says = `${sizeText(free)} free; the database takes ${sizeText(size)}`
  const todo = "make room, or move the database to a larger disk"
  if (free < 100 * mebibyte) return fault("disk", says, todo)
  return free < Math.max(1024 * mebibyte, size) ? warning("disk", says, todo) : ok("disk", says)
}

/** `mode` as of the file system. A database has password hashes and personal data. */
export const permissions = (file: string, mode: number): Finding =>
  (mode & 0o077) === 0
    ? ok("permissions", "only its owner can read the database")
    : warning("permissions", "other users of this machine can read the database", `chmod 600 ${file}`)

/** The checks of a file that exists. */
export const all = (file: string): Effect.Effect<ReadonlyArray<Finding>> =>
  Effect.promise(async () => {
    const folder = dirname(resolve(file))
    const [{ mode, size }, { bavail, bsize }] = await Promise.all([stat(file), statfs(folder)])
    const canWrite = await Promise.all([access(file, constants.W_OK), access(folder, constants.W_OK)]).then(
      () => true,
      () => false
    )
    const writing = canWrite
      ? permissions(file, mode)
      : fault("permissions", `${file} or its folder can't be written`, "run as its owner, or change its permissions")
    return [disk(bavail * bsize, size), writing]
  })
