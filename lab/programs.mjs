/** The programs of `npm run lab`: description, duration on two cores, commands, and tools that tests don't need. */

const node = (path) => [`node lab/${path}`]

export const programs = {
  bench: {
    does: "rates over HTTP, compared with two handwritten programs, and of the rules alone",
    takes: "minutes",
    commands: node("benchmarks/dist/main.js")
  },
  profile: {
    does: "where the processor time of one request goes, by layer, and its statements",
    takes: "a minute",
    commands: node("benchmarks/dist/profile.js")
  },
  "bench-postgres": {
    does: "rates of one to three hosts on PostgreSQL, compared with a handwritten program",
    takes: "minutes",
    commands: node("benchmarks/dist/postgres.js")
  },
  "bench-catalog": {
    does: "products created per second, compared with a handwritten program",
    takes: "minutes",
    commands: node("benchmarks/dist/catalog.js")
  },
  "bench-reads": {
    does: "lists of shipments among up to a million, and reads that grow with what one company has",
    takes: "minutes",
    commands: node("benchmarks/dist/reads.js")
  },
  grow: {
    does: "what limits a host whose database has more and more sellers and SKUs",
    takes: "an hour",
    commands: node("benchmarks/dist/growing.js")
  },
  scale: {
    does: "what more sellers and more hosts add",
    takes: "minutes",
    commands: node("benchmarks/dist/scaling.js")
  },
  archive: {
    does: "a year of orders, whose size stays the same with crossdock archive",
    takes: "half an hour",
    commands: node("histories/dist/archive.js")
  },
  citus: {
    does: "orders on tables that Citus distributes: rates of more workers, a worker that is killed, a shard that is moved",
    takes: "10 minutes, where Citus is installed",
    commands: ["vitest run lab/system-tests/test/citus.test.ts", "node lab/benchmarks/dist/citus.js"]
  },
  sizing: {
    does: "the bytes that each order, change of stock and price adds to the database",
    takes: "a minute",
    commands: node("system-tests/dist/sizing.js")
  },
  histories: {
    does: "random histories over all services, checked against the laws after every step",
    takes: "minutes",
    commands: node("histories/dist/main.js")
  },
  fuzz: {
    does: "random requests made from the OpenAPI documents, with every answer checked",
    takes: "minutes",
    commands: node("fuzz/dist/main.js")
  },
  races: {
    does: "concurrent moves of the same shipments through several hosts, then every law",
    takes: "minutes",
    commands: node("system-tests/dist/raceTest.js")
  },
  kill: {
    does: "kills hosts during bulk writes of stock: nothing acknowledged is lost",
    takes: "minutes",
    commands: node("system-tests/dist/killTest.js")
  },
  rolling: {
    does: "restarts hosts one after the other behind nginx, Caddy or HAProxy: no write fails",
    takes: "2 minutes",
    commands: node("system-tests/dist/rollingTest.js")
  },
  flood: {
    does: "a seller beside another one that sends a flood: it is delayed by a few requests",
    takes: "a minute",
    commands: node("system-tests/dist/floodTest.js")
  },
  feed: {
    does: "follows a change feed while several hosts write to it",
    takes: "minutes",
    commands: node("system-tests/dist/feedTest.js")
  },
  audit: {
    does: "changes the audit table at random: verification finds each change",
    takes: "minutes",
    commands: node("system-tests/dist/auditTest.js")
  },
  billing: {
    does: "random histories of subscriptions, ten years of them, and hosts killed around a payment",
    takes: "minutes",
    commands: node("system-tests/dist/billingTest.js")
  },
  backup: {
    does: "copies the database while hosts write to it, and starts a host from each copy",
    takes: "minutes",
    commands: node("system-tests/dist/backupTest.js")
  },
  endurance: {
    does: "a mixed load during which neither memory, files nor latency may grow",
    takes: "two hours",
    commands: node("system-tests/dist/enduranceTest.js")
  },
  "notification-soak": {
    does: "a receiver that is down for three days, during a million changes of stock",
    takes: "minutes",
    environment: { SOAK: "1" },
    commands: ["vitest run packages/notifications/test/ThreeDays.test.ts"]
  },
  "webhook-load": {
    does: "notifies 50 receivers, of which 30 then fail",
    takes: "minutes",
    environment: { LOAD: "1" },
    commands: ["vitest run packages/notifications/test/ManyReceivers.test.ts"]
  },
  simulate: {
    does: "several marketplaces sell the same scarce stock at once",
    takes: "minutes",
    commands: ["node examples/simulated-marketplace/dist/main.js"]
  },
  cluster: {
    does: "three hosts behind a balancer on one PostgreSQL, under load and attack",
    takes: "3 minutes",
    commands: ["node examples/cluster/dist/main.js"]
  },
  worker: {
    does: "serves the Worker of examples/worker",
    takes: "until it is stopped",
    commands: ["node examples/worker/dist/main.js"]
  },
  mutation: {
    does: "changes the rules one expression at a time: a test notices each change",
    takes: "hours",
    tools: ["mutation"],
    commands: ["node scripts/mutation.mjs"]
  },
  matrix: {
    does: "every law on every storage, and HTTP on every runtime",
    takes: "minutes",
    tools: ["runtimes"],
    commands: ["node scripts/matrix.mjs"]
  },
  nodes: {
    does: "the tests on each Node that the packages support",
    takes: "an hour",
    commands: ["node scripts/check.mjs", "node scripts/test-on-nodes.mjs"]
  },
  "install-test": {
    does: "installs the packed packages with npm and pnpm, and runs programs on them",
    takes: "5 to 10 minutes",
    tools: ["runtimes"],
    commands: ["node scripts/install-test.mjs"]
  },
  templates: {
    does: "creates a project from each template with the packed packages, and runs its tests",
    takes: "minutes",
    commands: ["node scripts/templates-test.mjs"]
  },
  examples: {
    does: "records the answers to the examples of the OpenAPI documents",
    takes: "seconds",
    commands: ["node lab/system-tests/dist/recordExamples.js", "tsc -b"]
  },
  collections: {
    does: "writes the requests of the interfaces as collections for Bruno and Postman into .collections",
    takes: "seconds",
    commands: ["node scripts/collections.mjs .collections"]
  }
}
