import { spawnSync } from "node:child_process"
import { copyFileSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import Database from "better-sqlite3"
import { Option } from "effect"
import * as Api from "../../../lab/system-tests/src/Api.ts"
import { settings, startHost } from "../../../lab/system-tests/test/TestHost.ts"
import { temporaryFolder } from "../../http/test/TemporaryFolder.ts"
import * as InProcess from "./InProcess.ts"

const withKeys =
  (environment: Readonly<Record<string, string>>) =>
  (...[command = "", source = "", ...args]: ReadonlyArray<string>): Promise<InProcess.Ended> => {
    const isDatabase = source.startsWith("sqlite:")
    const [company = "", ...rest] = args
    const of = command === "verify" ? ["--company", company] : [company]
    const call = isDatabase ? [...of, ...rest, "--database", source] : ["--file", source, ...args]
    return InProcess.run(["audit", command, ...call], { environment })
  }

const keys = InProcess.auditKeys()

const audit = withKeys(keys)

/** How many records were verified. */
const recordsIn = ({ stdout }: InProcess.Ended): number => Number(/: (\d+) records/.exec(stdout)?.[1])

const logs = "/service/platform/audit-trail/v1.0/company/1/logs"

const log = (id: string, email: string) => ({
  log_meta: {
    entity: { type: "settings", id, action: "update" },
    modifier: { user_id: `user-of-${id}`, as_administrator: true, user_details: { email } }
  },
  log_payload: { request: { id } }
})

describe("The audit commands", () => {
  const folder = temporaryFolder()

  it("erases a person's data from the trail while a host runs, and the chain stays valid", async () => {
    const databaseUrl = `sqlite:${join(folder, "erase.db")}`
    const host = await startHost(settings({ databaseUrl }))
    const ops = await Api.platform(host.url)
    for (const [id, email] of [
      ["one", "asha@example.com"],
      ["two", "ravi@example.com"]
    ] as const) {
      strictEqual((await ops.call("POST", logs, log(id, email))).status, 200)
    }
    const found = async (words: string): Promise<number> => {
      const { body } = await ops.call<{ readonly docs: ReadonlyArray<unknown> }>("GET", `${logs}?qs=${words}`)
      return body.docs.length
    }
    strictEqual(await found("asha@example.com"), 1)
    const before = await audit("verify", databaseUrl, "1")
    deepStrictEqual([before.code, before.stderr], [0, ""])

    const none = await audit("erase", databaseUrl, "1", "nobody@example.com")
    deepStrictEqual([none.code, none.stdout], [0, "Erased the person from 0 records.\n"])
    const erased = await audit("erase", databaseUrl, "1", "Asha@example.com")
    deepStrictEqual([erased.code, erased.stdout, erased.stderr], [0, "Erased the person from 1 record.\n", ""])

    deepStrictEqual([await found("asha@example.com"), await found("ravi@example.com")], [0, 1])
    const exported = (await audit("export", databaseUrl, "1")).stdout
    deepStrictEqual([exported.includes("asha@"), exported.includes("ravi@")], [false, true])
    const after = await audit("verify", databaseUrl, "1")
    strictEqual(after.code, 0)
    // One more record: that of the erasure.
    strictEqual(recordsIn(after), recordsIn(before) + 1)
    ops.close()
    await host.stop()
  })

  it("exports to a file that verifies, and prints nothing else to standard output", async () => {
    const databaseUrl = `sqlite:${join(folder, "export.db")}`
    const host = await startHost(settings({ databaseUrl }))
    const ops = await Api.platform(host.url)
    strictEqual((await ops.call("POST", logs, log("one", "asha@example.com"))).status, 200)
    ops.close()
    await host.stop()
    const file = join(folder, "trail.jsonl")
    const written = await audit("export", databaseUrl, "1", "--out", file)
    deepStrictEqual([written.code, written.stdout, written.stderr], [0, "", ""])
    const printed = await audit("export", databaseUrl, "1")
    strictEqual(printed.stdout, readFileSync(file, "utf8"))
    const verified = await audit("verify", file)
    deepStrictEqual([verified.code, verified.stderr], [0, ""])
    // It overwrites no file.
    strictEqual((await audit("export", databaseUrl, "1", "--out", file)).code, 1)
    const checkpoint = join(folder, "checkpoint.json")
    const signed = await audit("checkpoint", databaseUrl, "1")
    writeFileSync(checkpoint, signed.stdout)
    strictEqual((await audit("verify", databaseUrl, "1", "--checkpoint", checkpoint)).code, 0)
    const args = ["verify", databaseUrl, "1", "--checkpoint", checkpoint] as const
    for (const key of ["", "a key of another kind"]) {
      const audit = withKeys({ AUDIT_SIGNING_KEY: key })
      const faults = [
        [await audit("checkpoint", databaseUrl, "1"), "AUDIT_SIGNING_KEY must be an Ed25519 private key, as PEM: "],
        [await audit(...args), "AUDIT_PUBLIC_KEYS has no public keys: "]
      ] as const
      for (const [{ code, stderr, stdout }, said] of faults)
        deepStrictEqual([code, stdout, stderr.slice(0, said.length)], [1, "", said])
      strictEqual((await audit("verify", databaseUrl, "1")).code, 0)
    }
    const unknown = await audit("verify", databaseUrl, "77")
    deepStrictEqual([unknown.code, unknown.stdout], [1, ""])
    assertTrue(unknown.stderr.startsWith("There is no company 77."), unknown.stderr)
  })

  it("lets a third party verify checkpoints of every key of the host with its published keys alone", async () => {
    const databaseUrl = `sqlite:${join(folder, "keys.db")}`
    const file = (name: string) => join(folder, name)
    const newKey = async () => {
      const { code, stdout } = await InProcess.run(["audit", "key", file("keys.json")])
      strictEqual(code, 0)
      return stdout
    }
    const auditKeys = () => JSON.parse(readFileSync(file("keys.json"), "utf8"))
    const sign = (AUDIT_SIGNING_KEY: string) => withKeys({ AUDIT_SIGNING_KEY })("checkpoint", databaseUrl, "1")

    const first = await newKey()
    const only = auditKeys()
    const second = await newKey()
    // The private keys are printed alone; the file has each key's public part.
    deepStrictEqual([auditKeys().keys.length, auditKeys().keys[0]], [2, only.keys[0]])
    assertTrue(/^-----BEGIN PRIVATE KEY-----\n\S+\n-----END PRIVATE KEY-----\n$/.test(first), first)
    const host = await startHost(settings({ databaseUrl, auditPublicKeys: Option.some(auditKeys()) }))
    writeFileSync(file("first.json"), (await sign(first)).stdout)
    writeFileSync(file("second.json"), (await sign(second)).stdout)
    const published = `${host.url}/.well-known/crossdock-audit-keys.json`
    deepStrictEqual(await (await fetch(published)).json(), auditKeys())

    const judged = async (name: string, from: string) => {
      const { code, stderr, stdout } = await withKeys({})(
        ...(["verify", databaseUrl, "1", "--checkpoint", file(name), "--public-key", from] as const)
      )
      return [code, /(the chain is intact|None of the public keys verifies)\b/.exec(`${stdout}${stderr}`)?.[1]]
    }
    const right = [0, "the chain is intact"]
    const wrong = [1, "None of the public keys verifies"]
    for (const name of ["first.json", "second.json"])
      for (const from of [published, file("keys.json")]) deepStrictEqual(await judged(name, from), right)
    // A key that was made later verifies nothing of the earlier one, nor the other way around.
    writeFileSync(file("only.json"), JSON.stringify(only))
    deepStrictEqual(
      [await judged("first.json", file("only.json")), await judged("second.json", file("only.json"))],
      [right, wrong]
    )
    const genuine = JSON.parse(readFileSync(file("first.json"), "utf8"))
    const flipped = `${genuine.signature.startsWith("A") ? "B" : "A"}${genuine.signature.slice(1)}`
    for (const forged of [
      { at: genuine.at + 1 },
      { hash: "00".repeat(32) },
      { root: "00".repeat(32) },
      { kid: auditKeys().keys[1].kid },
      { signature: flipped },
      { signature: genuine.signature.slice(0, -4) },
      { signature: "" }
    ]) {
      writeFileSync(file("forged-checkpoint.json"), JSON.stringify({ ...genuine, ...forged }))
      deepStrictEqual(await judged("forged-checkpoint.json", published), wrong)
    }
    writeFileSync(file("forged-checkpoint.json"), JSON.stringify({ ...genuine, company: 2 }))
    const faults = [
      [published, "The checkpoint is of company 2, not of company 1"],
      [`${host.url}/none`, `${host.url}/none can't be read (status 404): check --public-key`]
    ] as const
    for (const [at, [from, said]] of faults.entries()) {
      const checkpoint = file(at === 0 ? "forged-checkpoint.json" : "first.json")
      const { code, stderr } = await withKeys({})(
        ...(["verify", databaseUrl, "1", "--checkpoint", checkpoint, "--public-key", from] as const)
      )
      deepStrictEqual([code, stderr], [1, `${said}\n`])
    }
    await host.stop()
    const plain = await startHost(settings({ databaseUrl }))
    strictEqual((await fetch(`${plain.url}/.well-known/crossdock-audit-keys.json`)).status, 404)
    await plain.stop()
  })

  it("proves a record, and that the trail goes on, to a third party that has the checkpoints and the public key", async () => {
    const databaseUrl = `sqlite:${join(folder, "proofs.db")}`
    const host = await startHost(settings({ databaseUrl }))
    const ops = await Api.platform(host.url)
    const recorded = async (...ids: ReadonlyArray<string>) => {
      for (const id of ids) strictEqual((await ops.call("POST", logs, log(id, `${id}@example.com`))).status, 200)
    }
    const file = (name: string, text: string): string => {
      writeFileSync(join(folder, name), text)
      return join(folder, name)
    }
    await recorded("one", "two", "three")
    const earlier = file("earlier.json", (await audit("checkpoint", databaseUrl, "1")).stdout)
    await recorded("four", "five")
    const later = file("later-checkpoint.json", (await audit("checkpoint", databaseUrl, "1")).stdout)
    ops.close()
    await host.stop()
    const { sequence } = JSON.parse(readFileSync(later, "utf8"))

    const record = await audit("prove", databaseUrl, "1", "--record", String(sequence - 3), "--checkpoint", later)
    deepStrictEqual([record.code, record.stderr, record.stdout.includes("@example.com")], [0, "", false])
    const going = await audit("prove", databaseUrl, "1", "--since", earlier, "--checkpoint", later)
    strictEqual(going.code, 0, going.stderr)
    const proofs = [
      [file("record.json", record.stdout), "--checkpoint", later],
      [file("going.json", going.stdout), "--checkpoint", later, "--since", earlier]
    ] as const
    const third = new URL("../../../examples/audit-proof/verify.mjs", import.meta.url)
    const publicKeys = file("public-keys.json", keys.AUDIT_PUBLIC_KEYS)
    const byThird = (files: ReadonlyArray<string>) =>
      spawnSync(process.execPath, [fileURLToPath(third), publicKeys, ...files.filter((one) => !one.startsWith("--"))])
        .status
    for (const args of proofs) {
      const { code, stderr, stdout } = await InProcess.run(["audit", "verify-proof", ...args], { environment: keys })
      deepStrictEqual([code, stderr, stdout.startsWith("Proven: the trail of company 1 (")], [0, "", true])
      strictEqual(byThird(args), 0)
    }
    // Nor is there another text, place or form that verifies, and nothing crashes.
    const proven = JSON.parse(record.stdout) as Record<"previous" | "body", string> & { path: ReadonlyArray<string> }
    const forged: ReadonlyArray<unknown> = [
      { ...proven, previous: proven.previous + proven.body.slice(0, 9), body: proven.body.slice(9) },
      { ...proven, previous: "", body: proven.previous + proven.body },
      { ...proven, path: proven.path.map((hash) => `${hash}zz`) },
      { ...proven, path: proven.path.map((hash) => hash.toUpperCase()) },
      { ...proven, path: null },
      { ...proven, previous: null },
      { ...proven, body: 7 },
      { ...proven, size: 1e308 },
      ...[0, -1, 0.5, "1", null, 1e308].map((place) => ({ ...proven, sequence: place })),
      ...[0, -1, 1.5, "1", null, 1e308].map((first) => ({ ...JSON.parse(going.stdout), first })),
      { ...proven, path: Array.from({ length: 100_000 }, () => proven.path[0]) },
      null,
      []
    ]
    for (const one of forged) {
      const wrong = file("forged.json", JSON.stringify(one))
      const shown = JSON.stringify(one)?.slice(0, 300)
      const { code, stdout } = await InProcess.run(["audit", "verify-proof", wrong, ...proofs[1].slice(1)], {
        environment: keys
      })
      deepStrictEqual([code, stdout.startsWith("Proven")], [1, false], shown)
      const { status, stdout: said } = spawnSync(process.execPath, [
        ...[fileURLToPath(third), publicKeys, wrong, later, earlier]
      ])
      deepStrictEqual([status, String(said)], [1, "The proof is wrong.\n"], shown)
    }
    // Every text and number of a proof counts.
    for (const [proof, ...rest] of proofs) {
      const right = JSON.parse(readFileSync(proof, "utf8")) as Record<string, unknown>
      for (const [name, value] of Object.entries(right)) {
        const other =
          typeof value === "number" ? value + 1 : typeof value === "string" ? `${value}0` : [...(value as []), "00"]
        const wrong = file("wrong.json", JSON.stringify({ ...right, [name]: other }))
        const { code, stdout } = await InProcess.run(["audit", "verify-proof", wrong, ...rest], { environment: keys })
        deepStrictEqual([name, code, stdout.startsWith("The proof is wrong: ")], [name, 1, true])
        strictEqual(byThird([wrong, ...rest]), 1, name)
      }
    }
    // A checkpoint that someone else signed, or changed, proves nothing.
    const strange = file("strange-keys.json", InProcess.auditKeys().AUDIT_PUBLIC_KEYS)
    const changed = file("changed.json", readFileSync(later, "utf8").replace(/"at":\d/, '"at":9'))
    const [proof] = proofs[0]
    for (const [from, checkpoint] of [
      [strange, later],
      [publicKeys, changed]
    ] as const) {
      const args = ["audit", "verify-proof", proof, "--checkpoint", checkpoint, "--public-key", from]
      const { code, stderr } = await InProcess.run(args)
      const said = `None of the public keys verifies ${checkpoint}: it was changed, or signed with another key\n`
      deepStrictEqual([code, stderr], [1, said])
      strictEqual(spawnSync(process.execPath, [fileURLToPath(third), from, proof, checkpoint]).status, 1)
    }
    const faults = [
      [["--checkpoint", later], "Name what to prove: a --record, or the checkpoint --since which the trail continues"],
      [
        ["--record", "999", "--checkpoint", later],
        `There is no proof: record 999 was dropped, or is later than record ${sequence}, the last of the checkpoint`
      ],
      [
        [
          "--record",
          "1",
          "--checkpoint",
          file("other.json", readFileSync(later, "utf8").replace(/"company":1/, '"company":2'))
        ],
        "The checkpoint is of company 2, not of company 1"
      ],
      [
        [
          "--record",
          "1",
          "--checkpoint",
          file(
            "rewritten.json",
            readFileSync(later, "utf8").replace(/"root":"(.)/, (_, digit) => `"root":"${digit === "0" ? "1" : "0"}`)
          )
        ],
        "The trail of company 1 differs from the one that the checkpoint signed."
      ]
    ] as const
    for (const [args, said] of faults) {
      const { code, stderr } = await audit("prove", databaseUrl, "1", ...args)
      deepStrictEqual([code, stderr.slice(0, said.length)], [1, said])
    }
  })

  it("says which records a trail lacks that ends before its checkpoint, and what can't be read", async () => {
    const databaseUrl = `sqlite:${join(folder, "restored.db")}`
    const write = async (count: number, to = databaseUrl) => {
      const host = await startHost(settings({ databaseUrl: to }))
      const ops = await Api.platform(host.url)
      for (let nth = 0; nth < count; nth++) await ops.call("POST", logs, log(`${count}-${nth}`, "asha@example.com"))
      ops.close()
      await host.stop()
    }
    await write(2)
    const backup = join(folder, "backup.db")
    copyFileSync(join(folder, "restored.db"), backup)
    const exported = join(folder, "backup.jsonl")
    await audit("export", `sqlite:${backup}`, "1", "--out", exported)
    await write(4)
    const checkpoint = join(folder, "later.json")
    writeFileSync(checkpoint, (await audit("checkpoint", databaseUrl, "1")).stdout)
    const end = recordsIn(await audit("verify", exported))
    const says = `The trail ends at record ${end}; records ${end + 1} to ${end + 4} are missing.\n`
    for (const [name, ...trail] of [
      ["company 1", `sqlite:${backup}`, "1"],
      [exported, exported]
    ] as const) {
      const { code, stderr, stdout } = await audit("verify", ...trail, "--checkpoint", checkpoint)
      deepStrictEqual([code, stdout, stderr], [1, `${name}: ${says}`, ""])
    }

    // What was written after the restore doesn't hide what is missing.
    const copy = `sqlite:${join(folder, "copy.db")}`
    strictEqual((await InProcess.run(["restore", backup, "--database", copy])).code, 0)
    const { stdout } = await audit("verify", copy, "1", "--checkpoint", checkpoint)
    strictEqual(
      stdout,
      `company 1: The database was restored from an older copy; records ${end + 1} to ${end + 4} are missing. Record ${end + 1} is of the restore.\n`
    )

    // The restore that lost a checkpoint's record is one after it was made, not an earlier one.
    const older = join(folder, "older.db")
    copyFileSync(join(folder, "copy.db"), older)
    strictEqual((await InProcess.run(["seller", "disable", "acme", "--database", copy])).code, 0)
    const newer = join(folder, "newer.json")
    writeFileSync(newer, (await audit("checkpoint", copy, "1")).stdout)
    const again = `sqlite:${join(folder, "again.db")}`
    strictEqual((await InProcess.run(["restore", older, "--database", again])).code, 0)
    strictEqual(
      (await audit("verify", again, "1", "--checkpoint", newer)).stdout,
      `company 1: The database was restored from an older copy; record ${end + 2} is missing. Record ${end + 2} is of the restore.\n`
    )

    // The restore explains nothing that is missing since.
    const since = join(folder, "since.db")
    copyFileSync(join(folder, "copy.db"), since)
    const first = recordsIn(await audit("verify", copy, "1")) + 1
    await write(3, copy)
    const sinceRestore = join(folder, "since-restore.json")
    writeFileSync(sinceRestore, (await audit("checkpoint", copy, "1")).stdout)
    const truncated = await audit("verify", `sqlite:${since}`, "1", "--checkpoint", sinceRestore)
    strictEqual(
      truncated.stdout,
      `company 1: The trail ends at record ${first - 1}; records ${first} to ${first + 2} are missing.\n`
    )

    const none = join(folder, "none.json")
    for (const [args, sentence] of [
      [
        ["verify", databaseUrl, "1", "--checkpoint", none],
        `The file ${JSON.stringify(none)} can't be read. Check its path\n`
      ],
      [
        ["verify", databaseUrl, "1", "--checkpoint", exported],
        `${exported} is not a checkpoint: give the file that "crossdock audit checkpoint" printed\n`
      ],
      [["verify", `${none}l`], `There is no file ${none}l: check its path\n`]
    ] as const) {
      const { code, stderr, stdout } = await audit(...args)
      deepStrictEqual([code, stdout, stderr], [1, "", sentence])
    }
    const unknown = await InProcess.run(["audit", "verify", "--chekpoint", checkpoint])
    deepStrictEqual([unknown.code, unknown.stdout], [2, ""])
    assertTrue(unknown.stderr.includes("--checkpoint") && !unknown.stderr.includes("    at "), unknown.stderr)
  })

  it("says which record of a changed trail is broken, and ends with 1", async () => {
    const databaseUrl = `sqlite:${join(folder, "changed.db")}`
    const host = await startHost(settings({ databaseUrl }))
    await host.stop()
    const database = new Database(databaseUrl.slice("sqlite:".length))
    database.exec(
      "UPDATE crossdock_audit_records SET body = replace(body, 'a', 'b') WHERE sequence = 1 AND company_id = 1"
    )
    database.close()
    const { code, stdout } = await InProcess.run(["audit", "verify", "--json", "--database", databaseUrl])
    const broken = JSON.parse(stdout).filter(({ fault }: { fault: string | null }) => fault !== null)
    deepStrictEqual([code, broken.length, broken[0].trail], [1, 1, "company 1"])
  })

  it("retains records that are younger than its days", async () => {
    const databaseUrl = `sqlite:${join(folder, "dropped.db")}`
    const host = await startHost(settings({ databaseUrl }))
    await host.stop()
    const { code, stdout } = await InProcess.run([
      "audit",
      "retain",
      "1",
      "--days",
      "1",
      "--json",
      "--database",
      databaseUrl
    ])
    deepStrictEqual([code, JSON.parse(stdout)], [0, { dropped: 0 }])
    strictEqual((await audit("verify", databaseUrl, "1")).code, 0)
    for (const name of ["A", "B", "C"]) {
      const renamed = ["company", "add", "1", "--name", name, "--legal-name", name, "--database", databaseUrl]
      strictEqual((await InProcess.run(renamed)).code, 0)
    }
    const database = new Database(databaseUrl.slice("sqlite:".length))
    database.exec("UPDATE crossdock_audit_records SET at = 0 WHERE sequence <= 2 AND company_id = 1")
    database.close()
    const retain = ["audit", "retain", "1", "--days", "1", "--database", databaseUrl]
    strictEqual((await InProcess.run(retain)).stdout, "Dropped 2 records.\n")
    const verified = await InProcess.run(["audit", "verify", "--company", "1", "--database", databaseUrl])
    assertTrue(/the chain is intact; 2 earlier ones were archived or dropped\n$/.test(verified.stdout), verified.stdout)
  })
})
