import { type Account, Directory, SignInAttempts } from "@crossdock/access"
import type { CompanyId, Transaction } from "@crossdock/kernel"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import * as Effect from "effect/Effect"
import { concurrently, exactlyOne, times } from "./ConcurrentWriters.ts"
import * as Fresh from "./Fresh.ts"
import { about, column, type Laws, sortedBy } from "./Laws.ts"

const integration = (username: string, companyId: CompanyId): Account => ({
  username,
  passwordHash: "$scrypt$ln=1$a$b",
  enabled: true,
  generation: 3,
  sandbox: true,
  principal: {
    kind: "integration",
    id: username,
    integrationId: "int-1",
    companyId,
    locations: null,
    stockPolicy: "adjust"
  }
})

const ofMarketplace = (account: Account): Account => ({
  ...account,
  principal: { kind: "marketplace", id: account.username }
})

export const directoryLaws = (laws: Laws<Directory | Transaction.Transaction>): void => {
  const { concurrent, law } = about(Directory, laws, Effect.all([Fresh.companyId, Fresh.companyId]))
  law("the locations of more companies than a statement has parameters are found at once", function* (directory) {
    const ids = yield* Effect.forEach(Fresh.many, () => Fresh.companyId)
    yield* directory.putCompanies(ids.map((id) => Fresh.company(id)))
    yield* directory.putLocations(ids.map((id) => Fresh.location(id, "L1")))
    strictEqual((yield* directory.locations(ids)).length, ids.length)
  })

  law("whether an integration exists that is not the sandbox's", function* (directory) {
    const [before, name, id] = [yield* directory.hasOwnIntegrations, yield* Fresh.text("user"), yield* Fresh.companyId]
    const own: Account = { ...integration(name, id), sandbox: false }
    yield* directory.putAccounts([integration(yield* Fresh.text("user"), id)])
    yield* directory.putAccounts([ofMarketplace(own)])
    strictEqual(yield* directory.hasOwnIntegrations, before)
    yield* directory.putAccounts([own])
    assertTrue(yield* directory.hasOwnIntegrations)
  })

  law("companies are listed by id, and the accounts of a kind by username", function* (directory) {
    const ids = [yield* Fresh.companyId, yield* Fresh.companyId]
    const names = [yield* Fresh.text("user-b"), yield* Fresh.text("user-a")]
    const companies = ids.map((id) => ({ id, name: `Company ${id}`, legalName: "Company Limited" }))
    yield* directory.putCompanies(companies)
    const accounts = names.map((name) => integration(name, ids[0] as CompanyId))
    yield* directory.putAccounts(accounts)
    yield* directory.putAccounts(accounts.slice(0, 1).map(ofMarketplace))
    const known = (yield* directory.companies).filter(({ id }) => ids.includes(id))
    deepStrictEqual(known, sortedBy(companies, "id"))
    const listed = (yield* directory.accounts("integration")).filter(({ username }) => names.includes(username))
    deepStrictEqual(listed, sortedBy(accounts, "username"))
  })

  law("a secret is replaced if it is the one that its caller read", function* (directory) {
    const name = yield* Fresh.text("secret")
    strictEqual(yield* directory.replaceSecret(name, "first", "second"), false)
    strictEqual(yield* directory.secret(name, "first"), "first")
    strictEqual(yield* directory.replaceSecret(name, "other", "third"), false)
    strictEqual(yield* directory.replaceSecret(name, "first", "second"), true)
    strictEqual(yield* directory.secret(name, "candidate"), "second")
  })

  law("an unknown name is undefined or an empty list; an empty list writes nothing", function* (directory, [id]) {
    yield* directory.putCompanies([])
    yield* directory.putLocations([])
    yield* directory.putAccounts([])
    strictEqual(yield* directory.company(id), undefined)
    deepStrictEqual(yield* directory.locations([id]), [])
    strictEqual(yield* directory.account("integration", yield* Fresh.text("user")), undefined)
  })

  law("companies are read back equal; writing again replaces", function* (directory) {
    const [first, second] = [Fresh.company(yield* Fresh.companyId), Fresh.company(yield* Fresh.companyId)]
    yield* directory.putCompanies([first, second])
    deepStrictEqual(yield* directory.company(first.id), first)
    yield* directory.putCompanies([{ ...first, name: "Новое имя", legalName: "" }])
    deepStrictEqual(yield* directory.company(first.id), { ...first, name: "Новое имя", legalName: "" })
    deepStrictEqual(yield* directory.company(second.id), second)
  })

  law("a closed company stays closed until it is reopened, also when it is stored again", function* (directory) {
    const [first, second] = [Fresh.company(yield* Fresh.companyId), Fresh.company(yield* Fresh.companyId)]
    const closed = Effect.map(directory.closed, (ids) => ids.filter((id) => id === first.id || id === second.id))
    yield* directory.putCompanies([first, second])
    deepStrictEqual(yield* closed, [])
    yield* directory.setClosed(first.id, 1_800_000_000_000)
    yield* directory.putCompanies([{ ...first, name: "New" }, second])
    const shown = { ...first, name: "New", closedAt: 1_800_000_000_000 }
    deepStrictEqual([yield* directory.company(first.id), yield* directory.company(second.id)], [shown, second])
    const listed = (yield* directory.companies).find(({ id }) => id === first.id)
    deepStrictEqual(listed, shown)
    deepStrictEqual(yield* closed, [first.id])
    yield* directory.setClosed(second.id, 1_800_000_000_001)
    deepStrictEqual(yield* closed, column(sortedBy([first, second], "id"), "id"))
    yield* directory.setClosed(first.id, null)
    deepStrictEqual([yield* directory.company(first.id), yield* closed], [{ ...first, name: "New" }, [second.id]])
  })

  law("locations are read back equal, ordered by code point; writing again replaces", function* (directory, [id]) {
    yield* directory.putLocations(Fresh.shuffled.map((code) => Fresh.location(id, code)))
    const inOrder = Fresh.inOrder.map((code) => Fresh.location(id, code))
    deepStrictEqual(yield* directory.locations([id]), inOrder)
    const address = {
      address1: "1 “Mill” Road",
      address2: null,
      city: "Mysuru",
      state: "कर्नाटक",
      pincode: "570001",
      country: "India",
      phone: null,
      gstin: "29ABCDE1234F1Z5"
    }
    const changed = { ...Fresh.location(id, "a"), name: "New", currency: "USD", handlingHours: 48, address }
    yield* directory.putLocations([changed])
    const replaced = inOrder.map((one) => (one.code === "a" ? changed : one))
    deepStrictEqual(yield* directory.locations([id]), replaced)
  })

  law("custom fields of companies and locations stay until others are written in their place", function* (directory) {
    const company = Fresh.company(yield* Fresh.companyId)
    const location = Fresh.location(company.id, "L1")
    const values = { v: 1, note: "कुर्ता “1”", open: false }
    const [none, some, emptied] = [{}, { customFields: values }, { customFields: {} }]
    for (const [written, kept] of [
      [none, none],
      [some, some],
      [none, some],
      [emptied, emptied]
    ] as const) {
      yield* directory.putCompanies([{ ...company, ...written }])
      yield* directory.putLocations([{ ...location, ...written }])
      const stored = [yield* directory.company(company.id), ...(yield* directory.locations([company.id]))]
      const expected = [company, location].map((one) => ({ ...one, ...kept }))
      deepStrictEqual(stored, expected)
    }
  })

  law("a location code of one company is nothing to another", function* (directory, [one, other]) {
    yield* directory.putLocations([Fresh.location(one, "L1"), Fresh.location(one, "L2")])
    yield* directory.putLocations([{ ...Fresh.location(other, "L1"), name: "Theirs" }])
    deepStrictEqual(yield* directory.locations([one]), [Fresh.location(one, "L1"), Fresh.location(one, "L2")])
    const theirs = { ...Fresh.location(other, "L1"), name: "Theirs" }
    deepStrictEqual(yield* directory.locations([other]), [theirs])
    const all = [Fresh.location(one, "L1"), Fresh.location(one, "L2"), theirs]
    deepStrictEqual(yield* directory.locations([other, one, yield* Fresh.companyId, other]), all)
    deepStrictEqual(yield* directory.locations([]), [])
  })

  law("accounts of each kind are read back equal, also when written again", function* (directory, [id]) {
    const name = yield* Fresh.text("user")
    const first = integration(name, id)
    const second: Account = { ...ofMarketplace(first), enabled: false }
    const third: Account = {
      ...first,
      generation: 9,
      principal: { kind: "platform_client", id: name, companyId: id, scopes: ["company/profile:read", "b"] }
    }
    yield* directory.putAccounts([first, second, third])
    const after: Account = { ...first, passwordHash: "new", enabled: false, generation: 4 }
    for (const own of [first, after]) {
      yield* directory.putAccounts([own])
      deepStrictEqual(yield* directory.account("integration", name), own)
      deepStrictEqual(yield* directory.account("marketplace", name), second)
      deepStrictEqual(yield* directory.account("platform_client", name), third)
    }
    strictEqual(yield* directory.account("integration", name.toUpperCase()), undefined)
  })

  law("usernames of 2,000 characters that differ in the last are two accounts", function* (directory, [id]) {
    const [text, other] = yield* Fresh.longTexts
    yield* directory.putAccounts([integration(text, id), integration(other, id)])
    const after: Account = { ...integration(text, id), enabled: false }
    yield* directory.putAccounts([after])
    deepStrictEqual(yield* directory.account("integration", text), after)
    deepStrictEqual(yield* directory.account("integration", other), integration(other, id))
  })

  law("an account is added if its username is free in its kind, else nothing changes", function* (directory) {
    const [name, id, other] = [yield* Fresh.text("user"), yield* Fresh.companyId, yield* Fresh.companyId]
    const first = integration(name, id)
    strictEqual(yield* directory.addAccount(first), true)
    strictEqual(yield* directory.addAccount(integration(name, other)), false)
    deepStrictEqual(yield* directory.account("integration", name), first)
    strictEqual(yield* directory.addAccount(ofMarketplace(first)), true)
  })

  concurrent("of several who add an account of one username at once exactly one does", function* (directory) {
    const name = yield* Fresh.text("user")
    const all = (yield* Effect.replicateEffect(Fresh.companyId, 10)).map((id) => integration(name, id))
    const added = yield* concurrently(all.map(directory.addAccount))
    deepStrictEqual(yield* directory.account("integration", name), all[exactlyOne(added)])
  })

  concurrent("of several that replace one generation of an account at once one does", function* (directory) {
    const [name, id] = [yield* Fresh.text("user"), yield* Fresh.companyId]
    const before = integration(name, id)
    strictEqual(yield* directory.replaceAccount({ ...before, generation: before.generation + 1 }), false)
    yield* directory.putAccounts([before, ofMarketplace(before)])
    const next = { ...before, enabled: false, generation: before.generation + 1 }
    const after = (i: number) => ({ ...next, passwordHash: `${i}` })
    const done = yield* times(10, (i) => directory.replaceAccount(after(i)))
    deepStrictEqual(yield* directory.account("integration", name), after(exactlyOne(done)))
    strictEqual((yield* directory.account("marketplace", name))?.generation, before.generation)
  })

  concurrent("of several that replace one secret at once one does", function* (directory) {
    const name = yield* Fresh.text("secret")
    yield* directory.secret(name, "old")
    const done = yield* times(20, (i) => directory.replaceSecret(name, "old", `${i}`))
    strictEqual(yield* directory.secret(name, "late"), `${exactlyOne(done)}`)
  })

  concurrent("of several hosts that offer a secret at once all get the same", function* (directory) {
    const [name, other] = [yield* Fresh.text("secret"), yield* Fresh.text("secret")]
    const got = yield* times(20, (i) => directory.secret(name, `candidate ${i}`))
    deepStrictEqual([...new Set(got)].length, 1)
    assertTrue(got[0]?.startsWith("candidate "))
    strictEqual(yield* directory.secret(name, "late"), got[0])
    strictEqual(yield* directory.secret(other, "theirs"), "theirs")
  })
}

const timesOf = (key: string, since: number) =>
  Effect.flatMap(SignInAttempts.SignInAttempts, (attempts) => attempts.failures([key], since)).pipe(
    Effect.map((found) => found.map((failure) => failure.at).sort((a, b) => a - b))
  )

export const signInAttemptsLaws = (laws: Laws<SignInAttempts.SignInAttempts>): void => {
  const { concurrent, law } = about(SignInAttempts.SignInAttempts, laws)
  law("a failure is added to each of the keys and to no other", function* (attempts) {
    const [user, peer, other] = [yield* Fresh.text("user"), yield* Fresh.text("peer"), yield* Fresh.text("user")]
    yield* attempts.add([user, peer], 1000, 0)
    yield* attempts.add([peer], 1001, 0)
    deepStrictEqual(yield* timesOf(user, 0), [1000])
    deepStrictEqual(yield* timesOf(peer, 0), [1000, 1001])
    deepStrictEqual(yield* timesOf(other, 0), [])
    deepStrictEqual(yield* attempts.failures([], 0), [])
    const both = (yield* attempts.failures([user, peer, other], 0)).map(({ at, key }) => `${key} ${at}`)
    deepStrictEqual(both.sort(), [`${peer} 1000`, `${peer} 1001`, `${user} 1000`])
  })

  law("failures of names of 2,000 characters that differ in the last are counted apart", function* (attempts) {
    const [user, other] = yield* Fresh.longTexts
    yield* attempts.add([user], 1000, 0)
    yield* attempts.add([user, other], 1001, 0)
    deepStrictEqual(yield* timesOf(user, 0), [1000, 1001])
    deepStrictEqual(yield* timesOf(other, 0), [1001])
    strictEqual((yield* attempts.failures([user, other], 1000)).length, 2)
  })

  law("only times after the given one are found", function* (attempts) {
    const key = yield* Fresh.text("user")
    yield* Effect.forEach([1000, 2000, 3000], (at) => attempts.add([key], at, 0))
    deepStrictEqual(yield* timesOf(key, 2000), [3000])
    deepStrictEqual(yield* timesOf(key, 1999), [2000, 3000])
  })

  law("what is older than the given time is forgotten, of every key", function* (attempts) {
    const [forgotten, late, key] = [yield* Fresh.text("user"), yield* Fresh.text("user"), yield* Fresh.text("user")]
    yield* Effect.forEach([1000, 2000], (at) => attempts.add([key], at, 0))
    yield* attempts.add([forgotten], 1999, 0)
    yield* attempts.add([late], 2000, 0)
    yield* attempts.add([key], 3000, 2000)
    deepStrictEqual(yield* timesOf(key, 0), [2000, 3000])
    deepStrictEqual(yield* timesOf(forgotten, 0), [])
    deepStrictEqual(yield* timesOf(late, 0), [2000])
  })

  concurrent("failures at once all count, also those of the same moment", function* (attempts) {
    const [user, peer] = [yield* Fresh.text("user"), yield* Fresh.text("peer")]
    yield* times(20, (i) => attempts.add(i % 2 === 0 ? [user, peer] : [peer, user], 1000, 500))
    const expected = Array.from({ length: 20 }, () => 1000)
    deepStrictEqual(yield* timesOf(user, 0), expected)
    deepStrictEqual(yield* timesOf(peer, 0), expected)
  })
}
