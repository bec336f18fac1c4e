import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Option } from "effect"
import * as Api from "../../../lab/system-tests/src/Api.ts"
import { settings, startHost } from "../../../lab/system-tests/test/TestHost.ts"
import { temporaryFolder } from "../../http/test/TemporaryFolder.ts"
import * as Storage from "../src/Storage.ts"
import * as InProcess from "./InProcess.ts"

describe("An import of master data", () => {
  const folder = temporaryFolder()
  const file = (name: string, text?: string) => {
    if (text !== undefined) writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const database = async (name: string) => {
    const url = `sqlite:${join(folder, name)}`
    await Effect.runPromise(Storage.migrate(url))
    return async (...args: ReadonlyArray<string>) => InProcess.run(args, { environment: { DATABASE_URL: url } })
  }
  const kinds = ["companies", "sellers", "marketplaces", "brands", "plans"] as const

  it("takes the file that --example prints, and takes it again", async () => {
    const call = await database("examples.db")
    const example = async (kind: string) => file(`${kind}.csv`, (await call("import", kind, "--example")).stdout)
    for (const kind of kinds) {
      const path = await example(kind)
      const judged = await call("import", kind, path, "--dry-run")
      deepStrictEqual([kind, judged.code, judged.stderr], [kind, 0, ""])
      assertTrue(/^\d records?, no errors\n$/.test(judged.stdout), judged.stdout)
      const { code, stderr, stdout } = await call("import", kind, path)
      deepStrictEqual([kind, code, stderr, stdout.includes(" imported")], [kind, 0, "", true])
    }
    const lists = async () =>
      Promise.all(["company", "location", "seller", "marketplace", "plan"].map((kind) => call(kind, "list")))
    const before = await lists()
    assertTrue(before.every(({ stdout }) => stdout.split("\n").length >= 3))

    // Passwords are in a file for its owner alone, and nowhere else. They sign in.
    const passwords = file("sellers.csv.passwords.jsonl")
    strictEqual(statSync(passwords).mode & 0o777, 0o600)
    const [first, ...others] = readFileSync(passwords, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    deepStrictEqual([first.company, first.username, others.length], [7, "night-bakery", 1])
    const databaseUrl = `sqlite:${join(folder, "examples.db")}`
    const host = await startHost(settings({ databaseUrl, sandbox: Option.some(false) }))
    const token = async (password: string) =>
      (await Api.make(host.url).call("POST", "/aggregator/v1/token", { username: first.username, password })).status
    deepStrictEqual([await token(first.password), await token(`${first.password}x`)], [200, 401])

    // A repeat changes no password, and writes none.
    writeFileSync(passwords, "kept")
    for (const kind of kinds) {
      const { code, stdout } = await call("import", kind, file(`${kind}.csv`))
      deepStrictEqual([kind, code, stdout.includes(first.password)], [kind, 0, false])
    }
    strictEqual(readFileSync(passwords, "utf8"), "kept")
    deepStrictEqual([await token(first.password), await lists()], [200, before])
    await host.stop()
  })

  it("names every wrong line and field, and then imports nothing", async () => {
    const call = await database("faults.db")
    const sellers = [
      "id,name,legalName,locations.0.code,locations.0.name,locations.0.currency,username,policy",
      "7,Night,Night Private Limited,NGT1,Night,INR,night,set",
      "x,Night,Night Private Limited,NGT1,Night,INR,night,never",
      "8,Day,,DAY1,Day,INR,day,"
    ]
    const rejected = async (kind: string, path: string, ...faults: ReadonlyArray<string>) => {
      for (const more of [[], ["--dry-run"]]) {
        const { code, stderr, stdout } = await call("import", kind, path, ...more)
        const count = `${faults.length} error${faults.length === 1 ? "" : "s"}`
        const head = `The file has ${count}, so nothing was imported. Correct and import it again:`
        deepStrictEqual([code, stdout, stderr.split("\n")], [1, "", [head, ...faults, ""]])
      }
    }
    await rejected(
      "sellers",
      file("shapes.csv", sellers.join("\n")),
      "line 3, id: Expected a string representing a finite number",
      "line 3, policy: must be one of set, adjust",
      "line 4, legalName: is missing"
    )
    const rules = [sellers[0], "7,Night,Night,N GT,Night,XXQ,ni:ght,set", sellers[1], "8,Day,Day,DAY1,Day,INR,day,set"]
    await rejected(
      "sellers",
      file("rules.csv", [...rules, "9,Day,Day,DAY1,Day,INR,day,set"].join("\n")),
      "line 2, locations.0.code: must be 1 to 64 letters, digits, dots, hyphens or underscores",
      "line 2, locations.0.currency: is not an ISO 4217 currency",
      "line 2, username: must be one line of 1 to 300 characters without a colon",
      "line 3, id: 7 appears earlier too",
      'line 5, username: "day" appears earlier too'
    )
    await rejected(
      "companies",
      file("companies.jsonl", '{"id":7,"name":"","legalName":"x"}\nno\n'),
      "line 2: The line is not JSON."
    )
    await rejected(
      "marketplaces",
      file(
        "marketplaces.jsonl",
        '{"slug":"Night","name":"Night","currency":"INR","locations":[{"companyId":7,"location":"A","code":"A"}]}\n'
      ),
      "line 1, slug: must be words of a to z and 0 to 9, joined by -, of at most 100 characters",
      "line 1, password: is required for a new marketplace",
      "line 1, locations.0.location: is not a location of company 7"
    )
    await rejected(
      "brands",
      file("brands.csv", "uid,name,company_id\n1,A,7\n1,B,7\n"),
      'line 3: "7 1" appears earlier in the list. Send each once.'
    )
    await rejected(
      "plans",
      file("plans.csv", "id,name,price,currency,interval\na,A,1,INR,month\nb,B,1.005,INR,month\n"),
      "line 3, price: The amount 1.005 has too many decimals: INR has 2. Round it before you send it."
    )
    const known = await Promise.all(["company", "plan", "marketplace"].map((kind) => call(kind, "list")))
    deepStrictEqual(
      known.map(({ stdout }) => stdout),
      ["none\n", "none\n", "none\n"]
    )
    strictEqual(existsSync(file("rules.csv.passwords.jsonl")), false)
  })

  it("takes several locations of a seller, and says in the trail for whom it worked", async () => {
    const call = await database("operators.db")
    strictEqual((await call("operator", "add", "asha", "--generate")).code, 0)
    const company = { id: 7, name: "Night", legalName: "Night Private Limited" }
    const [one, two] = ["NGT1", "NGT2"].map((code) => ({ code, name: code, currency: "INR", handlingHours: 12 }))
    const sellers = file("sellers.jsonl", JSON.stringify({ ...company, locations: [one, two], username: "night" }))
    const unknown = await call("import", "sellers", sellers, "--as", "nobody")
    deepStrictEqual(
      [unknown.code, unknown.stderr],
      [1, 'There is no operator "nobody". "crossdock operator list" lists them\n']
    )
    const out = file("out.jsonl")
    strictEqual((await call("import", "sellers", sellers, "--as", "asha", "--passwords", out)).code, 0)
    strictEqual(existsSync(out), true)
    // A later file changes only what it names.
    const later = file(
      "later.jsonl",
      JSON.stringify({ ...company, locations: [{ ...one, handlingHours: null, name: "New" }], username: "night" })
    )
    strictEqual((await call("import", "sellers", later)).code, 0)
    const locations = JSON.parse((await call("location", "list", "--json")).stdout)
    deepStrictEqual(
      locations.map(({ code, handlingHours, name }: Record<string, unknown>) => [code, name, handlingHours]),
      [
        ["NGT1", "New", 12],
        ["NGT2", "NGT2", 12]
      ]
    )
    const records = (await call("audit", "export", "7")).stdout.trim().split("\n").slice(1)
    const by = records.map((line) => /"id":"(operator:asha|cli)"/.exec(line.replaceAll("\\", ""))?.[1])
    deepStrictEqual(by, ["operator:asha", "operator:asha", "cli"])
    strictEqual((await call("audit", "verify")).code, 0)
  })
})
