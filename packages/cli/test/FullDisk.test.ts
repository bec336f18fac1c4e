import { spawnSync } from "node:child_process"
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import * as PostgresServer from "@crossdock/postgres/PostgresServer"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { afterAll } from "vitest"
import * as Api from "../../../lab/system-tests/src/Api.ts"
import { settings, startHost } from "../../../lab/system-tests/test/TestHost.ts"
import * as InProcess from "./InProcess.ts"

const disk = mkdtempSync(join(tmpdir(), "crossdock-small-disk-"))
const mount = (...args: ReadonlyArray<string>) => spawnSync("mount", [...args, disk]).status === 0

/** A disk of 160 MB in memory, where this machine lets us have one. */
const isMounted = process.platform === "linux" && mount("-t", "tmpfs", "-o", "size=160m,mode=1777", "tmpfs")

interface Listings {
  readonly data: ReadonlyArray<{ readonly sku: string; readonly location_id: string; readonly quantity: number }>
}

/** Writes zeros until there is no room for any more. */
const fill = (path: string) => {
  const file = openSync(path, "w")
  try {
    for (const size of [1_048_576, 4_096]) {
      try {
        for (;;) writeSync(file, Buffer.alloc(size))
      } catch (error) {
        if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error
      }
    }
  } finally {
    closeSync(file)
  }
}

describe.skipIf(!isMounted)("A full disk of PostgreSQL", () => {
  afterAll(() => {
    spawnSync("umount", [disk])
    rmSync(disk, { recursive: true, force: true })
  })

  it("makes the host unready, is found by doctor, and is over when there is room again; nothing is lost", async () => {
    const before = process.env.TMPDIR
    process.env.TMPDIR = disk
    const server = await PostgresServer.start({ survivesCrash: true })
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
    const host = await startHost(settings({ databaseUrl: server.url }))
    const acme = await Api.seller(host.url)
    /** The disk is tried once a second. */
    const ready = async () => {
      await setTimeout(1_000)
      return (await fetch(`${host.url}/health/ready`)).status
    }
    const finding = async () => {
      const { stdout } = await InProcess.run(["doctor", "--json"], { environment: { DATABASE_URL: server.url } })
      return JSON.parse(stdout).find(({ check }: { readonly check: string }) => check === "disk")?.state
    }
    const write = (quantity: number) =>
      acme.call("PUT", "/ims/v3/inventory", [{ location_id: "BLR1", sku: "85123A", quantity }])
    try {
      deepStrictEqual([await ready(), await finding(), (await write(7)).status], [200, "ok", 200])
      const ballast = join(disk, "ballast")
      fill(ballast)
      deepStrictEqual([await ready(), await finding()], [503, "fault"])
      // The last pages of the tables may still take some rows.
      let status = 200
      let acknowledged = 7
      for (let quantity = 8; status === 200 && quantity < 20_000; quantity++) {
        status = (await write(quantity)).status
        if (status === 200) acknowledged = quantity
      }
      strictEqual(status, 503)
      rmSync(ballast)
      deepStrictEqual([await ready(), await finding()], [200, "ok"])
      const quantities = await Promise.all(
        [1, 2, 3].map((page) =>
          acme
            .call<Listings>("GET", `/ims/v3/listings?page_size=500&page_no=${page}`)
            .then(({ body }) =>
              body.data
                .filter(({ location_id, sku }) => sku === "85123A" && location_id === "BLR1")
                .map(({ quantity }) => quantity)
            )
        )
      )
      deepStrictEqual(quantities.flat(), [acknowledged])
      strictEqual((await write(9)).status, 200)
    } finally {
      acme.close()
      await host.stop()
      await server.stop()
    }
  })
})
