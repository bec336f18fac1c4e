/** The programs of `npm run lab -- bench-postgres`. Each has its own database with several companies. */
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { CompanyWrite } from "@crossdock/audit"
import { DigestNode, PasswordHashScrypt } from "@crossdock/crypto"
import { Inventory } from "@crossdock/inventory"
import { CompanyId, Ids } from "@crossdock/kernel"
import { Marketplaces } from "@crossdock/marketplaces"
import { Notifications } from "@crossdock/notifications"
import * as Fresh from "@crossdock/storage-laws/Fresh"
import * as Seed from "@crossdock/storage-laws/Seed"
import { StorageSql } from "@crossdock/storage-sql"
import * as BetterSqlite3 from "@crossdock/storage-sql/BetterSqlite3"
import * as Postgres from "@crossdock/storage-sql/Postgres"
import * as Api from "@crossdock/system-tests/Api"
import * as HostProcess from "@crossdock/system-tests/HostProcess"
import { Effect, Layer, Redacted, Result } from "effect"
import pg from "pg"

/** A program to compare. It runs in as many processes as the largest measurement needs. */
export interface PostgresContender {
  readonly name: string
  /** The clients of each process: one of a seller and one of a marketplace. */
  readonly hosts: ReadonlyArray<{ readonly seller: Api.Api; readonly marketplace: Api.Api }>
  /** The path for orders. `locations` has the location of each company. */
  readonly orders: string
  readonly locations: ReadonlyArray<string>
  /** Whether confirming a shipment needs the ids of its items. */
  readonly needsItems: boolean
  readonly stop: () => Promise<unknown>
}

const slug = "bench-market"
const companyIds = (count: number) => Array.from({ length: count }, (_, nth) => CompanyId.make(11 + nth))
const locationOf = (company: number) => `C${company}`

const caller = { principal: { kind: "system", id: "bench" }, requestId: null } as const

/** Stores companies, each with one location, all SKUs and plenty of stock, and a marketplace that sells for them. */
const seed = (skus: ReadonlyArray<string>, count: number) =>
  Effect.gen(function* () {
    const write = yield* Seed.Seed
    for (const company of companyIds(count)) {
      yield* write.companies([Fresh.company(company)])
      yield* write.locations([Fresh.location(company, locationOf(company))])
      yield* write.products(company, [Fresh.product(company, "item", skus)])
      const principal = {
        kind: "integration",
        id: "bench",
        integrationId: "bench",
        companyId: company,
        locations: null,
        stockPolicy: "set"
      } as const
      yield* (yield* Inventory.Inventory).setStock(
        { principal, requestId: null },
        skus.map((sku) =>
          Result.succeed({ location: locationOf(company), sku, quantity: 1_000_000_000, expected: null })
        )
      )
    }
    const places = [
      [CompanyId.make(1), "BLR1"] as const,
      ...companyIds(count).map((id) => [id, locationOf(id)] as const)
    ]
    const locations = places.map(([companyId, location]) => ({ companyId, location, code: location }))
    const shown = { currency: "INR", locations, skus: null, buffers: [], webhook: null }
    yield* (yield* Marketplaces.Marketplaces).register(caller, {
      slug,
      name: slug,
      password: `${slug}-secret`,
      ...shown
    })
  })

const clientOf = (url: string) =>
  url.startsWith("sqlite:") ? BetterSqlite3.layer(url.slice("sqlite:".length)) : Postgres.layer(Redacted.make(url))

const services = (url: string) =>
  Layer.mergeAll(Seed.layer, Inventory.layer, Marketplaces.layer).pipe(
    Layer.provideMerge(Notifications.layer),
    Layer.provideMerge(CompanyWrite.layer),
    Layer.provideMerge(
      Layer.mergeAll(
        Layer.provide(StorageSql.layer, clientOf(url)),
        PasswordHashScrypt.layer(),
        DigestNode.layer,
        Ids.layer
      )
    )
  )

/** Crossdock's hosts. `count` of them run on the database of `url`. */
export const crossdock = async (
  name: string,
  url: string,
  skus: ReadonlyArray<string>,
  companies: number,
  count: number
): Promise<PostgresContender> => {
  const environment = {
    DATABASE_URL: url,
    SANDBOX: "1",
    LOG_LEVEL: "warn",
    ACCOUNT_REQUESTS_PER_SECOND: "0",
    ADDRESS_REQUESTS_PER_SECOND: "0"
  }
  await (await HostProcess.start(environment)).stop()
  await Effect.runPromise(Effect.provide(seed(skus, companies), services(url)))
  const hosts = await Promise.all(Array.from({ length: count }, () => HostProcess.start(environment)))
  return {
    name,
    hosts: await Promise.all(
      hosts.map(async (host) => ({
        seller: await Api.seller(host.url),
        marketplace: await Api.marketplace(host.url, slug)
      }))
    ),
    orders: `/order/api/v1/${slug}/create`,
    locations: companyIds(companies).map(locationOf),
    needsItems: true,
    stop: () => Promise.all(hosts.map(({ stop }) => stop()))
  }
}

const schema = `
  CREATE TABLE accounts (name TEXT PRIMARY KEY, enabled BOOLEAN NOT NULL, generation INTEGER NOT NULL);
  INSERT INTO accounts VALUES ('acme', true, 1);
  CREATE TABLE companies (id BIGINT PRIMARY KEY, sequence BIGINT NOT NULL, hash TEXT NOT NULL, events BIGINT NOT NULL);
  CREATE TABLE sizes (company BIGINT, sku TEXT, title TEXT, PRIMARY KEY (company, sku));
  CREATE TABLE levels (company BIGINT, location TEXT, sku TEXT, on_hand BIGINT NOT NULL, reserved BIGINT NOT NULL,
    version BIGINT NOT NULL, sequence BIGINT NOT NULL, PRIMARY KEY (company, location, sku));
  CREATE INDEX levels_marks ON levels (company, sequence);
  CREATE TABLE movements (company BIGINT, number BIGINT, at BIGINT, lines TEXT, PRIMARY KEY (company, number));
  CREATE TABLE orders (id TEXT PRIMARY KEY, external_id TEXT UNIQUE, body TEXT);
  CREATE TABLE audit (company BIGINT, sequence BIGINT, at BIGINT, hash TEXT, body TEXT, PRIMARY KEY (company, sequence));
  CREATE TABLE events (company BIGINT, last BIGINT, change BIGINT, body TEXT, PRIMARY KEY (company, last));
  CREATE TABLE shipments (id TEXT PRIMARY KEY, company BIGINT, order_id TEXT, location TEXT, status TEXT,
    order_date BIGINT, version INTEGER, body TEXT);
  CREATE INDEX shipments_list ON shipments (company, location, status, order_date DESC, id DESC);
`

const program = fileURLToPath(new URL("./handwrittenPostgres.js", import.meta.url))

interface Started {
  readonly api: Api.Api
  readonly stop: () => Promise<unknown>
}

const start = (url: string): Promise<Started> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, url, "a key that all processes share"], {
      stdio: ["ignore", "pipe", "inherit"]
    })
    const stopped = new Promise((ended) => child.once("exit", ended))
    child.once("error", reject)
    let output = ""
    child.stdout.on("data", (chunk) => {
      output += chunk
      const [, at, token] = /^listening on (\S+) (\S+)$/m.exec(output) ?? []
      if (at === undefined || token === undefined) return
      const api = Api.make(at, token)
      resolve({
        api,
        stop: () => {
          api.close()
          child.kill("SIGTERM")
          return stopped
        }
      })
    })
  })

export const handwritten = async (
  name: string,
  url: string,
  skus: ReadonlyArray<string>,
  companies: number,
  count: number
): Promise<PostgresContender> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(schema)
  const ids = [1, ...companyIds(companies)]
  for (const company of ids) {
    const location = company === 1 ? "BLR1" : locationOf(company)
    await client.query("INSERT INTO companies VALUES ($1, 0, '', 0)", [company])
    await client.query("INSERT INTO sizes SELECT $1, s, s FROM unnest($2::text[]) s", [company, skus])
    await client.query("INSERT INTO levels SELECT $1, $2, s, 1000000000, 0, 1, 0 FROM unnest($3::text[]) s", [
      company,
      location,
      skus
    ])
  }
  await client.end()
  const hosts = await Promise.all(Array.from({ length: count }, () => start(url)))
  return {
    name,
    hosts: hosts.map(({ api }) => ({ seller: api, marketplace: api })),
    orders: "/order/api/v1/bazaar/create",
    locations: companyIds(companies).map(locationOf),
    needsItems: false,
    stop: () => Promise.all(hosts.map(({ stop }) => stop()))
  }
}
