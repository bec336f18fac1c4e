import { spawn, spawnSync } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Settings from "@crossdock/cli/Settings"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { parseYaml } from "@redocly/openapi-core"
import { Effect, Option } from "effect"
import { temporaryFolder } from "../../../packages/http/test/TemporaryFolder.ts"

const root = fileURLToPath(new URL("../../../", import.meta.url))
const operations = join(root, "operations")
const textOf = (path: string) => readFileSync(join(operations, path), "utf8")

interface Service {
  readonly build?: { readonly context: string; readonly dockerfile: string }
  readonly environment?: Readonly<Record<string, string>>
  readonly volumes?: ReadonlyArray<string>
  readonly read_only?: boolean
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>
  readonly volumes: Readonly<Record<string, null>>
}

interface Probe {
  readonly httpGet: { readonly path: string }
}

interface Pod {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> }
  readonly spec: {
    readonly automountServiceAccountToken: boolean
    readonly securityContext: { readonly runAsNonRoot: boolean }
    readonly containers: ReadonlyArray<{
      readonly securityContext: object
      readonly envFrom: ReadonlyArray<object>
      readonly ports?: ReadonlyArray<{ readonly containerPort: number }>
      readonly startupProbe?: Probe
      readonly livenessProbe?: Probe
      readonly readinessProbe?: Probe
    }>
  }
}

interface Manifest {
  readonly kind: string
  readonly spec?: {
    readonly template?: Pod
    readonly jobTemplate?: { readonly spec: { readonly template: Pod } }
    readonly selector?: Readonly<Record<string, string | object>>
  }
}

interface Kustomization {
  readonly resources: ReadonlyArray<string>
  readonly configMapGenerator: ReadonlyArray<{ readonly literals: ReadonlyArray<string> }>
}

const compose = parseYaml(textOf("docker/compose.yaml")) as Compose
const hosts = Object.values(compose.services).filter(({ build }) => build !== undefined)
const dockerfile = textOf("docker/Dockerfile").replaceAll(/\\\n\s*/g, "")
const unit = textOf("systemd/crossdock.service")

const known = new Set(Settings.variables.map(({ name }) => name))

/** Node's and the C library's. */
const others = new Set(["NODE_ENV", "MALLOC_MMAP_THRESHOLD_", "MALLOC_TOP_PAD_"])

/** `NAME=value` pairs after a directive. */
const assigned = (text: string, directive: RegExp): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...text.matchAll(directive)].flatMap(([, pairs = ""]) =>
      pairs.split(/\s+/).map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)])
    )
  )

const ofImage = assigned(dockerfile, /^ENV (.*)$/gm)
const ofUnit = assigned(unit, /^Environment=(.*)$/gm)

/** A secret, and a key of 32 bytes. */
const required = "5e".repeat(32)

/** Substitutes `${NAME:?}` and `${NAME:-default}`. */
const substituted = (text: string): string =>
  text.replaceAll(/\$\{\w+:\?\}/g, required).replaceAll(/\$\{\w+:-([^}]*)\}/g, "$1")

const settingsOf = (environment: Readonly<Record<string, string>>) =>
  Effect.runPromise(
    Settings.read(
      Object.fromEntries(
        Object.entries(environment)
          .filter(([name]) => !others.has(name))
          .map(([name, value]) => [name, substituted(value)])
      )
    )
  )

const hasProgram = (name: string): boolean =>
  (process.env.PATH ?? "").split(":").some((folder) => existsSync(join(folder, name)))

/** A program's output, with warnings; it must exit with 0. */
const run = (name: string, args: ReadonlyArray<string>): string => {
  const { status, stderr, stdout } = spawnSync(name, [...args], { encoding: "utf8" })
  strictEqual(status, 0, stderr)
  return stdout + stderr
}

describe("The files of operations", () => {
  const folder = temporaryFolder()

  it("set variables that the host reads, to values that it can use", async () => {
    assertTrue(hosts.length >= 2)
    for (const environment of [ofImage, ofUnit, ...hosts.map(({ environment }) => environment ?? {})]) {
      deepStrictEqual(
        Object.keys(environment).filter((name) => !known.has(name) && !others.has(name)),
        []
      )
      await settingsOf(environment)
    }
    const { host, sandbox, trustedProxies } = await settingsOf({ ...ofImage, ...hosts[0]?.environment })
    deepStrictEqual([host, Settings.isSandbox({ host, sandbox }, false), trustedProxies], ["0.0.0.0", false, 1])
  })

  it("give Kubernetes settings, probes and ports of the host, and pods without rights", async () => {
    const documents = (name: string) =>
      textOf(`kubernetes/${name}`)
        .split(/^---$/m)
        .map((text) => parseYaml(text) as Manifest)
    const kustomization = parseYaml(textOf("kubernetes/kustomization.yaml")) as Kustomization
    const all = kustomization.resources.flatMap(documents)
    const literals = kustomization.configMapGenerator.flatMap((one) => one.literals)
    const secrets = textOf("kubernetes/kustomization.yaml").matchAll(/^# {3}(\w+)=/gm)
    const settings = Object.fromEntries(literals.map((one) => one.split("=") as [string, string]))
    const given = Object.fromEntries([...secrets].map(([, name = ""]) => [name, required]))
    const { port, adminPort } = await settingsOf({
      ...ofImage,
      ...given,
      DATABASE_URL: "postgres://a@b/c",
      ...settings
    })

    const pods = all.flatMap(({ spec }) => spec?.template ?? spec?.jobTemplate?.spec.template ?? [])
    strictEqual(pods.length, 3)
    for (const { spec } of pods) {
      const [container] = spec.containers
      deepStrictEqual([spec.securityContext.runAsNonRoot, spec.automountServiceAccountToken], [true, false])
      deepStrictEqual(container?.securityContext, {
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
        capabilities: { drop: ["ALL"] }
      })
      deepStrictEqual(container?.envFrom, [
        { configMapRef: { name: "crossdock" } },
        { secretRef: { name: "crossdock" } }
      ])
    }
    const [host] = pods[0]?.spec.containers ?? []
    deepStrictEqual(
      host?.ports?.map(({ containerPort }) => containerPort),
      [port, Option.getOrUndefined(adminPort)]
    )
    deepStrictEqual(
      [host?.startupProbe, host?.livenessProbe, host?.readinessProbe].map((one) => one?.httpGet.path),
      ["/health/live", "/health/live", "/health/ready"]
    )
    // Every selector finds the hosts' pods.
    const { labels } = pods[0]?.metadata ?? {}
    for (const { kind, spec } of all.filter(({ kind }) =>
      ["Deployment", "Service", "PodDisruptionBudget"].includes(kind)
    ))
      deepStrictEqual(kind === "Service" ? spec?.selector : spec?.selector?.matchLabels, labels)
  })

  it("mount and include files that exist, and declare the volumes that they use", () => {
    const mounts = Object.values(compose.services).flatMap(({ volumes = [] }) => volumes.map((one) => one.split(":")))
    const [files, volumes] = [
      mounts.filter(([source = ""]) => source.startsWith(".")),
      mounts.filter(([source = ""]) => !source.startsWith("."))
    ]
    for (const [source = ""] of files) assertTrue(existsSync(join(operations, "docker", source)), source)
    deepStrictEqual(volumes.map(([name = ""]) => name).sort(), Object.keys(compose.volumes).sort())
    for (const { build } of hosts) {
      const context = join(operations, "docker", build?.context ?? "")
      assertTrue(existsSync(join(context, build?.dockerfile ?? "")))
    }
    const inImage = new Map(files.map(([source = "", target = ""]) => [target, source]))
    for (const [, path = ""] of textOf("docker/nginx.conf").matchAll(/include (\S+);/g))
      assertTrue(inImage.has(path), path)
  })

  it("bring Prometheus its rules, and Grafana its data source and dashboard", () => {
    const mounted = (name: string) => (compose.services[name]?.volumes ?? []).map((one) => one.split(":")[1] ?? "")
    const { rule_files } = parseYaml(textOf("docker/prometheus.yml")) as { rule_files: ReadonlyArray<string> }
    deepStrictEqual(
      rule_files.filter((file) => !mounted("prometheus").includes(join("/etc/prometheus", file))),
      []
    )
    const { providers } = parseYaml(textOf("docker/grafana-dashboards.yml")) as {
      providers: ReadonlyArray<{ options: { path: string } }>
    }
    deepStrictEqual(
      providers
        .map(({ options }) => join(options.path, "crossdock.json"))
        .filter((file) => mounted("grafana").includes(file)),
      ["/etc/grafana/dashboards/crossdock.json"]
    )
    const { datasources } = parseYaml(textOf("docker/grafana-datasource.yml")) as {
      datasources: ReadonlyArray<{ url: string }>
    }
    deepStrictEqual(
      datasources.map(({ url }) => new URL(url).hostname).filter((name) => !(name in compose.services)),
      []
    )
    for (const folder of ["datasources", "dashboards"])
      assertTrue(mounted("grafana").includes(`/etc/grafana/provisioning/${folder}/crossdock.yml`))
  })

  it("run the host as npm start does: the same options of Node, and never as root", () => {
    const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
    const [, allocator, options] = /((?:MALLOC_\w+=\d+ ?)+) exec node (.*) packages\//.exec(scripts.start) ?? []
    for (const text of [dockerfile, unit])
      assertTrue(text.includes(`${allocator}`) && text.includes(`node ${options} /`))
    const [last = ""] = dockerfile.split(/^FROM /m).slice(-1)
    deepStrictEqual(last.match(/^(USER|ENTRYPOINT|CMD|HEALTHCHECK) ?\S*/gm)?.[0], "USER node")
    assertTrue(/^DynamicUser=yes$/m.test(unit))
    deepStrictEqual(
      hosts.map(({ read_only }) => read_only),
      hosts.map(() => true)
    )
  })

  it("copy into the image what the build reads, and neither tests nor databases", () => {
    const ignored = textOf("docker/Dockerfile.dockerignore")
    const projects: ReadonlyArray<{ readonly path: string }> = JSON.parse(
      readFileSync(join(root, "tsconfig.json"), "utf8")
    ).references
    for (const folder of new Set(projects.map(({ path }) => path.split("/")[0])))
      assertTrue(ignored.includes(`!${folder}\n`))
    for (const pattern of ["**/test\n", "**/node_modules\n", "**/*.db*\n"]) assertTrue(ignored.includes(pattern))
  })

  it("have a health check of the image that ends with 0 only while the host is ready", async () => {
    const [, json = "[]"] = /^HEALTHCHECK .*CMD (\[.*\])$/m.exec(dockerfile) ?? []
    const [, ...args]: ReadonlyArray<string> = JSON.parse(json)
    for (const status of [200, 503]) {
      const paths: Array<string | undefined> = []
      const server = createServer(({ url }, answer) => {
        paths.push(url)
        answer.writeHead(status).end()
      })
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      const address = server.address()
      const PORT = String(typeof address === "object" ? address?.port : 0)
      const code = await new Promise((resolve) =>
        spawn(process.execPath, [...args], { env: { PORT } }).once("exit", resolve)
      )
      server.close()
      deepStrictEqual([code, paths], [status === 200 ? 0 : 1, ["/health/ready"]])
    }
  })

  it.skipIf(!hasProgram("systemd-analyze"))("have a unit that systemd accepts, exposed as little as can be", () => {
    const path = join(folder, "crossdock.service")
    writeFileSync(path, unit.replace("/usr/bin/node", process.execPath))
    strictEqual(run("systemd-analyze", ["verify", path]), "")
    const [, exposure] = /exposure level for crossdock.service: ([\d.]+)/.exec(
      run("systemd-analyze", ["security", "--offline=true", path])
    ) ?? [undefined, "10"]
    assertTrue(Number(exposure) < 2, exposure)
  })

  it.skipIf(!hasProgram("caddy"))("have a Caddyfile that Caddy accepts", () => {
    run("caddy", ["validate", "--adapter", "caddyfile", "--config", join(operations, "caddy/Caddyfile")])
  })
})
