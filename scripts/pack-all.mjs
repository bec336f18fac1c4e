/**
 * `node scripts/pack-all.mjs [folder]` packs each published package after a build, by default into `dist-packages`.
 * The manifests omit the condition `@crossdock/source`, because Node runs no TypeScript in node_modules.
 */
import { execFileSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { isBundled } from "./bundle-command.mjs"

const root = fileURLToPath(new URL("../", import.meta.url))
const readManifest = (folder) => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
const { repository } = readManifest(root)

export const publishedPackages = readdirSync(join(root, "packages"))
  .map((name) => ({ folder: join(root, "packages", name), manifest: readManifest(join(root, "packages", name)) }))
  .filter(({ manifest }) => !manifest.private)

const withoutSourceCondition = (exports) =>
  Object.fromEntries(
    Object.entries(exports).map(([entry, target]) => {
      if (typeof target === "string") return [entry, target]
      const { "@crossdock/source": _, ...published } = target
      return [entry, published]
    })
  )

/** Whether a file has a source. Files that an earlier build left in `dist` don't. */
const hasSource = (folder, path) => {
  const built = /^dist\/(.+?)(\.d\.ts|\.js)(\.map)?$/.exec(relative(folder, path))
  return (
    built === null ||
    isBundled(relative(folder, path)) ||
    existsSync(join(folder, "src", `${built[1]}.ts`)) ||
    existsSync(join(folder, "src", built[1]))
  )
}

const stage = ({ folder, manifest }, staging) => {
  const staged = join(staging, manifest.name.replace("@crossdock/", ""))
  for (const part of [...manifest.files, "README.md", "CHANGELOG.md"]) {
    cpSync(join(folder, part), join(staged, part), { recursive: true, filter: (path) => hasSource(folder, path) })
  }
  cpSync(join(root, "LICENSE"), join(staged, "LICENSE"))
  const published = {
    ...manifest,
    files: [...manifest.files, "CHANGELOG.md"],
    repository: { ...repository, directory: relative(root, folder) },
    exports: withoutSourceCondition(manifest.exports)
  }
  writeFileSync(join(staged, "package.json"), `${JSON.stringify(published, null, 2)}\n`)
  return staged
}

/** `npm create crossdock` looks for a package with the name `create-crossdock`, so `@crossdock/create` has it too. */
const withSecondName = (one) =>
  one.manifest.name === "@crossdock/create"
    ? [one, { ...one, manifest: { ...one.manifest, name: "create-crossdock" } }]
    : [one]

/** Packs all published packages into a folder, after deleting older tarballs. It returns npm's report of each package. */
export const packAll = (folder) => {
  mkdirSync(folder, { recursive: true })
  for (const name of readdirSync(folder)) if (name.endsWith(".tgz")) rmSync(join(folder, name))
  const staging = mkdtempSync(join(tmpdir(), "crossdock-pack-"))
  try {
    const staged = publishedPackages.flatMap(withSecondName).map((one) => stage(one, staging))
    const report = execFileSync("npm", ["pack", "--json", "--pack-destination", folder, ...staged], {
      encoding: "utf8",
      maxBuffer: 1e8,
      stdio: ["ignore", "pipe", "pipe"]
    })
    return Object.values(JSON.parse(report))
  } finally {
    rmSync(staging, { recursive: true })
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = resolve(process.argv[2] ?? join(root, "dist-packages"))
  for (const { filename, size, entryCount } of packAll(folder)) {
    console.log(
      `${filename.padEnd(44)} ${(size / 1024).toFixed(0).padStart(6)} KB ${String(entryCount).padStart(5)} files`
    )
  }
}
