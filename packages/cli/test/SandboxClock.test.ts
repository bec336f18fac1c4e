import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Option } from "effect"
import { vi } from "vitest"
import * as Api from "../../../lab/system-tests/src/Api.ts"
import { settings, startHost } from "../../../lab/system-tests/test/TestHost.ts"
import { temporaryFolder } from "../../http/test/TemporaryFolder.ts"
import { setStock } from "../../http/test/TestOrders.ts"
import { millisOf } from "../src/SandboxClock.ts"
import * as InProcess from "./InProcess.ts"

const day = 86_400_000
const billing = "/service/platform/billing/v1.0/company/1"

describe("The sandbox's clock", () => {
  const folder = temporaryFolder()
  const databaseUrl = `sqlite:${folder}/clock.db`

  const advance = async (url: string, by: string): Promise<number> => {
    const { code, stderr, stdout } = await InProcess.run(["clock", "advance", by, "--url", url, "--json"])
    deepStrictEqual([code, stderr], [0, ""])
    return Date.parse(JSON.parse(stdout).now)
  }

  it("ends a trial of 14 days after 14 days, and goes on at the newest change after a restart", async () => {
    const host = await startHost(settings({ databaseUrl }))
    const ops = await Api.platform(host.url)
    const customer = {
      unique_id: "1",
      name: "Acme",
      email: "billing@acme.example",
      billing_address: { country: "India" }
    }
    strictEqual((await ops.call("POST", `${billing}/subscription/customer-detail`, customer)).status, 200)
    const basic = { unique_id: "1", plan_id: "basic" }
    strictEqual((await ops.call("POST", `${billing}/subscription/activate`, basic)).status, 200)
    const invoices = async () => {
      const api = await Api.platform(host.url)
      return (await api.call<{ data: ReadonlyArray<{ current_status: string }> }>("GET", `${billing}/invoice/list`))
        .body.data
    }
    deepStrictEqual(await invoices(), [])
    assertTrue((await advance(host.url, "13d")) > Date.now() + 12 * day)
    await advance(host.url, "25h")
    await vi.waitFor(async () => strictEqual((await invoices())[0]?.current_status, "paid"), {
      timeout: 60_000,
      interval: 100
    })
    await host.stop()
    const again = await startHost(settings({ databaseUrl }))
    assertTrue((await advance(again.url, "1s")) > Date.now() + 13 * day)
    await again.stop()
  })

  it("is that of commands, which would archive nothing by the machine's", async () => {
    const databaseUrl = `sqlite:${folder}/commands.db`
    const host = await startHost(settings({ databaseUrl }))
    await advance(host.url, "200d")
    const acme = await Api.seller(host.url)
    await setStock(acme, 5, ["85123A"])
    const args = ["archive", "move", `${folder}/archive`, "--days", "90", "--database", databaseUrl]
    const { stderr, stdout } = await InProcess.run(args)
    assertTrue(/^Moved 0 orders and 1 audit record to /.test(stdout), `${stdout}${stderr}`)
    acme.close()
    await host.stop()
  })

  it("rejects a time that isn't one, located", async () => {
    const host = await startHost(settings())
    const api = Api.withHeaders(host.url, { "x-crossdock-clock": "1" })
    for (const by of ["", "14", "14x", "-1d", "0d", "367d", "1.5d", "1d1d"]) {
      const { body, status } = await api.call<{ code: string }>("POST", `/sandbox/clock?advance=${by}`)
      deepStrictEqual([by, status, body.code], [by, 400, "VALIDATION_FAILED"])
    }
    await host.stop()
  })

  it("is moved by no page of another site, and by at most a century", async () => {
    const host = await startHost(settings())
    const page = await Api.make(host.url).call<{ code: string }>("POST", "/sandbox/clock?advance=1d")
    deepStrictEqual([page.status, page.body.code], [403, "FORBIDDEN"])
    const api = Api.withHeaders(host.url, { "x-crossdock-clock": "1" })
    const statuses: Array<number> = []
    for (let year = 0; year < 101; year++) statuses.push((await api.call("POST", "/sandbox/clock?advance=366d")).status)
    deepStrictEqual([statuses.indexOf(400), statuses.filter((one) => one === 200).length], [100, 100])
    await host.stop()
  })

  it("is unknown to a host without a sandbox", async () => {
    const host = await startHost(settings({ sandbox: Option.some(false) }))
    const { code, stderr } = await InProcess.run(["clock", "advance", "14d", "--url", host.url])
    deepStrictEqual(
      [code, stderr],
      [1, `The host at ${host.url} has no sandbox of its own: its clock is the machine's.\n`]
    )
    await host.stop()
  })

  it("reads seconds, minutes, hours and days", () => {
    deepStrictEqual(["90s", "10m", "48h", "14d", "366d"].map(millisOf), [90e3, 600e3, 2 * day, 14 * day, 366 * day])
  })
})
