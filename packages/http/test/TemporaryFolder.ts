import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"

/**
 * A temporary folder that is deleted after the file's tests.
 */
export const temporaryFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "crossdock-test-"))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
