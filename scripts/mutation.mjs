/**
 * Mutation tests of the rules: changes one expression at a time, and lists changes that no quick test of the package notices.
 *
 * npm run lab -- mutation returns inventory
 *
 * Without names, it tests all packages. It fails if the percentage of noticed changes is below 95, or below `least` of the
 * package. Text isn't changed. `MUTATION_WORKERS=1` runs one test at a time instead of two.
 */
import { readFileSync } from "node:fs"
import { Stryker } from "@stryker-mutator/core"

const laws = "packages/storage-memory/test/StorageMemory.test.ts"

/** The rules of each package (`File`, or `File#function`), and its tests. Tests that take seconds are left out. */
const packages = {
  returns: {
    rules: ["LineUnits", "LineAmounts", "QualityCheck"],
    tests: [
      "packages/returns/test/*.test.ts",
      "packages/shipments/test/{Decide,ReturnShipment,ShipmentPart,Work}.test.ts"
    ]
  },
  inventory: { rules: ["Level", "StockUpdate"], tests: ["packages/inventory/test/*.test.ts", laws] },
  shipments: {
    rules: [
      "AmountDue",
      "Guards",
      "Lifecycle",
      "LifecycleTable",
      "MoveCheck",
      "Operations",
      "RejectionCodes",
      "ReturnShipment",
      "ShipmentEvent",
      "ShipmentPart",
      "ShipmentStatus",
      "StockMoves"
    ],
    tests: ["packages/shipments/test/!(Exploration|Facts).test.ts"]
  },
  billing: {
    rules: [
      "Agreement",
      "AgreementLifecycle",
      "AgreementReplacement#unused",
      "BillingPeriod",
      "BillingCycle",
      "Coupon",
      "Invoice"
    ],
    tests: ["packages/billing/test/!(BillingRun|PlanLaws).test.ts"]
  },
  kernel: {
    // A shortcut for texts or whole amounts has the same answer as the long calculation, so no test notices its removal.
    least: 91,
    rules: ["Idempotency", "Money", "Text"],
    tests: ["packages/kernel/test/!(RulesBundle).test.ts", laws]
  },
  audit: { rules: ["AuditChain", "Redaction"], tests: ["packages/audit/test/*.test.ts"] },
  orders: {
    rules: ["OrderDifference", "OrderPricing", "OrderReservation"],
    tests: ["packages/orders/test/*.test.ts"]
  },
  notifications: {
    rules: [
      "DeliveryAttempts",
      "EventEndpoint",
      "InventoryEvent",
      "NotificationChannel",
      "NotificationCursor",
      ...["isAccepted", "reasonOf", "isUnsubscribed", "isTooLarge", "isInvalid"].map((one) => `WebhookSender#${one}`)
    ],
    tests: [
      "packages/notifications/test/{EventEndpoint,InventoryEvent,NotificationCursor,NotificationChannel,DeliveryAttempts,WebhookSender}.test.ts"
    ]
  },
  pricing: { rules: ["PriceUpdate"], tests: ["packages/pricing/test/*.test.ts"] },
  marketplaces: { rules: ["Offer", "Registration"], tests: ["packages/marketplaces/test/*.test.ts"] },
  http: { rules: ["RateLimits#makeAllowance"], tests: ["packages/http/test/RateLimits.test.ts"] }
}

/** The path of a rule. If the rule names a function, the path includes its lines. */
const placeOf = (name, rule) => {
  const [file, declared] = rule.split("#")
  const path = `packages/${name}/src/${file}.ts`
  if (declared === undefined) return path
  const lines = readFileSync(path, "utf8").split("\n")
  const from = lines.findIndex((line) => line.startsWith(`export const ${declared} = `))
  // A function ends before the first empty line that another declaration follows.
  const end = lines.findIndex((line, at) => at > from && line === "" && !/^\s/.test(lines[at + 1] ?? ""))
  return `${path}:${from + 1}-${end}`
}

const named = process.argv.slice(2)
const unknown = named.filter((name) => !(name in packages))
if (unknown.length > 0) {
  console.error(`No rules are listed for ${unknown.join(", ")}; there are ${Object.keys(packages).join(", ")}`)
  process.exit(1)
}

for (const name of named.length > 0 ? named : Object.keys(packages)) {
  const { least = 95, rules, tests } = packages[name]
  process.env.MUTATION_TESTS = tests.join(" ")
  await new Stryker({
    mutate: rules.map((rule) => placeOf(name, rule)),
    mutator: { excludedMutations: ["StringLiteral"] },
    testRunner: "vitest",
    vitest: { configFile: "vitest.mutation.config.ts", related: false },
    concurrency: Number(process.env.MUTATION_WORKERS ?? 2),
    coverageAnalysis: "perTest",
    tsconfigFile: "none.json",
    ignorePatterns: ["dist", "docs", "*.md", "*.db*"],
    reporters: ["clear-text", "json", "progress-append-only"],
    clearTextReporter: { logTests: false, allowColor: false, allowEmojis: false, reportTests: false },
    jsonReporter: { fileName: `reports/mutation/${name}.json` },
    thresholds: { high: least, low: least, break: least },
    allowConsoleColors: false
  }).runMutationTest()
}
