/**
 * The test files that `npm run test:slow` runs and `npm test` leaves out, each under the reason. Every other file is in
 * `npm test`, so a new one is too until it is listed here.
 */
export const slowTests: Readonly<Record<string, ReadonlyArray<string>>> = {
  // Each starts hosts as processes of their own, restarts or kills them.
  "hosts as processes": [
    "examples/bun/test/Bun.test.ts",
    "examples/cluster/test/cluster.test.ts",
    "examples/deno/test/Deno.test.ts",
    "examples/worker/test/FirstStart.test.ts",
    "examples/worker/test/Guide.test.ts",
    "examples/worker/test/Worker.test.ts",
    "examples/simulated-marketplace/test/simulation.test.ts",
    "lab/system-tests/test/admin-port.test.ts",
    "lab/system-tests/test/connections.test.ts",
    "lab/system-tests/test/database-timeout.test.ts",
    "lab/system-tests/test/lifecycle-of-host.test.ts",
    "lab/system-tests/test/metrics.test.ts",
    "lab/system-tests/test/rotated-secrets.test.ts",
    "lab/system-tests/test/sandbox-webhook.test.ts",
    "lab/system-tests/test/secrets.test.ts",
    "lab/system-tests/test/telemetry.test.ts",
    "lab/system-tests/test/test-programs.test.ts",
    "packages/host/test/ApplicationTransaction.test.ts",
    "packages/host/test/KilledConsumer.test.ts"
  ],
  // Their libraries are installed before the run.
  "libraries of applications": ["packages/host/test/Orms.test.ts", "packages/host/test/Telemetry.test.ts"],
  // What an operator does, command by command, each command a process.
  "commands as processes": [
    "packages/cli/test/AuditTrails.test.ts",
    "packages/cli/test/Backup.test.ts",
    "packages/cli/test/BuildAHost.test.ts",
    "packages/cli/test/Commands.test.ts",
    "packages/cli/test/CompanyArchive.test.ts",
    "packages/cli/test/Doctor.test.ts",
    "packages/cli/test/Examples.test.ts",
    "packages/cli/test/FirstStart.test.ts",
    "packages/cli/test/FullDisk.test.ts",
    "packages/cli/test/Marketplaces.test.ts",
    "packages/cli/test/Operate.test.ts",
    "packages/cli/test/Processes.test.ts",
    "packages/cli/test/StoredSecrets.test.ts",
    "packages/cli/test/Tutorials.test.ts"
  ],
  // A project of each template is made, and its tests are run. The Worker's need wrangler: `npm run lab -- templates`.
  "new projects": ["packages/create/test/Project.test.ts"],
  // Built, served, and opened in a browser.
  "the documentation site": ["packages/cli/test/Site.test.ts"],
  // Senders that are killed, and receivers that are down, slow or silent.
  "webhooks under failure": [
    "packages/notifications/test/EncryptedSecrets.test.ts",
    "packages/notifications/test/EventWebhooks.test.ts",
    "packages/notifications/test/HostileAddresses.test.ts",
    "packages/notifications/test/ManyReceivers.test.ts",
    "packages/notifications/test/Retries.test.ts"
  ],
  // `npm test` has races of requests on one host (races.test.ts) and of calls on three hosts (RacingCalls.test.ts).
  "floods of orders, texts and sign-ins": [
    "lab/system-tests/test/fair-shares.test.ts",
    "lab/system-tests/test/hostile-texts.test.ts",
    "lab/system-tests/test/oversell.test.ts",
    "lab/system-tests/test/sign-in-load.test.ts"
  ],
  // Servers of their own, with certificates and keys.
  "encrypted connections and secrets": [
    "packages/cli/test/PostgresEncryption.test.ts",
    "packages/notifications/test/EndpointLocks.test.ts",
    "packages/storage-sql/test/PostgresEncryption.test.ts"
  ],
  // Hooks that run until their time limits of 5 seconds end them.
  "time limits": ["packages/host/test/Hooks.test.ts"],
  // Sizes against the time or memory that they cost.
  "costs that grow": ["packages/host/test/NodeRequests.test.ts", "packages/storage-sql/test/GrowingCosts.test.ts"],
  // Every page as people and scanners read it.
  "drawn documents": [
    "packages/documents/test/Bundle.test.ts",
    "packages/documents/test/DocumentRendererNode.test.ts",
    "packages/documents/test/HostileText.test.ts",
    "packages/documents/test/Rendering.test.ts",
    "packages/documents/test/WholeText.test.ts"
  ],
  // Every tarball, checked, installed and compiled against.
  "packages as published": ["lab/system-tests/test/release.test.ts"],
  // Every screen as people and axe see it.
  "the console in Chromium": ["lab/system-tests/test/console.test.ts"],
  // Every state within reach, and random histories and requests.
  explorations: [
    "lab/fuzz/test/Fuzz.test.ts",
    "lab/histories/test/Histories.test.ts",
    "packages/shipments/test/Exploration.test.ts",
    "packages/shipments/test/Facts.test.ts"
  ],
  // `npm test` runs the laws on memory, SQLite, PostgreSQL and in a Worker; these are more clients, drivers, locales, releases, rows and orders of locks.
  "storage beyond the laws": [
    "packages/http/test/HostileInput.test.ts",
    "packages/host/test/ConcurrentRegistration.test.ts",
    "packages/host/test/HandledOnce.test.ts",
    "packages/storage-sql/test/ConcurrentApplicationStock.test.ts",
    "packages/storage-sql/test/ConcurrentBilling.test.ts",
    "packages/storage-sql/test/ConcurrentStock.test.ts",
    "packages/storage-sql/test/Erasure.test.ts",
    "packages/storage-sql/test/MovesAtOnce.test.ts",
    "packages/storage-sql/test/OneMoment.test.ts",
    "packages/storage-sql/test/SqliteDrivers.test.ts",
    "packages/storage-sql/test/SqlitePlans.test.ts",
    "packages/storage-sql/test/Upgrade.test.ts",
    "packages/storage-sql/test/WritesAtOnce.test.ts",
    "packages/storage-sql/test/CompanyWrites.test.ts",
    "packages/storage-sql/test/DistributedByCompany.test.ts",
    "packages/storage-sql/test/LockOrder.test.ts",
    "packages/storage-sql/test/NodePostgres.test.ts",
    "packages/storage-sql/test/Postgres.test.ts",
    "packages/storage-sql/test/PostgresLocale.test.ts",
    "packages/storage-sql/test/ApplicationStock.test.ts",
    "packages/storage-sql/test/SchemaCheck.test.ts",
    "packages/storage-sql/test/SqliteClient.test.ts",
    "packages/storage-sql/test/ApplicationStorage.test.ts"
  ]
}

/** What a machine may lack, by the file whose tests are skipped then. `apt-get install` has most of it. */
export const programs: Readonly<Record<string, string>> = {
  "examples/bun/test/Bun.test.ts": "Bun has a package for Linux on x64 only",
  "examples/deno/test/Deno.test.ts": "Deno has a package for Linux on x64 only",
  "lab/system-tests/test/citus.test.ts": "needs PostgreSQL with Citus",
  "lab/system-tests/test/console.test.ts": "needs Chromium",
  "lab/system-tests/test/deployment.test.ts": "needs systemd-analyze and caddy",
  "lab/system-tests/test/operations.test.ts": "needs promtool and prometheus",
  "lab/system-tests/test/pgbouncer.test.ts": "needs pgbouncer",
  "lab/system-tests/test/proxies.test.ts": "needs nginx, caddy and haproxy",
  "packages/cli/test/FullDisk.test.ts": "needs the right to mount a file system",
  "packages/cli/test/Site.test.ts": "needs Chromium",
  "packages/create/test/Project.test.ts": "needs Linux",
  "packages/notifications/test/Receivers.test.ts": "needs php and python3",
  "packages/storage-sql/test/Durability.test.ts": "needs Linux and a C compiler",
  "packages/storage-sql/test/Pgbouncer.test.ts": "needs pgbouncer",
  "packages/storage-sql/test/PostgresEncryption.test.ts": "needs psql"
}
