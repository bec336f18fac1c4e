/** Makes uncommitted sources that are missing or old, before builds and tests. It needs no build. */
import { spawnSync } from "node:child_process"
import { globSync, renameSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

const root = fileURLToPath(new URL("../", import.meta.url))

const generated = [
  {
    by: "scripts/client-contracts.mjs",
    from: ["packages/*/src/**/*.ts", "packages/http/src/*/texts.json"],
    except: ["packages/{client,cli,host,files,rpc,storage-*}/**"],
    files: ["Seller", "Marketplace", "Platform", "Operator"].map((name) => `packages/client/src/contracts/${name}.ts`)
  },
  {
    by: "scripts/reference-pages.mjs",
    from: ["docs/reference/*.md"],
    except: [],
    files: ["packages/http/src/system/reference.json"]
  },
  {
    by: "scripts/console-files.mjs",
    from: ["packages/console/app/*", "packages/client/src/**/*.ts"],
    except: [],
    files: ["packages/console/src/files.json"]
  }
]

const changedAt = (path) => statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs ?? 0

const isStale = ({ by, except, files, from }) => {
  const inputs = [by, ...globSync(from, { cwd: root, exclude: except })].map(changedAt)
  return Math.min(...files.map(changedAt)) < Math.max(...inputs)
}

/** Writes files and renames each complete one, so a concurrent build or test never reads half of a file. */
const write = async (by) => {
  const { documents } = await import(pathToFileURL(join(root, by)).href)
  for (const [path, text] of Object.entries(documents)) {
    const written = join(root, `${path}.${process.pid}`)
    writeFileSync(written, text)
    renameSync(written, join(root, path))
  }
}

/** Runs each generator in a separate process, because the condition `@crossdock/source` is an option of Node. */
export const generateSources = () => {
  for (const one of generated.filter(isStale)) {
    const args = [
      "--conditions=@crossdock/source",
      "--disable-warning=ExperimentalWarning",
      import.meta.filename,
      one.by
    ]
    const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: ["ignore", "inherit", "inherit"] })
    if (status !== 0) throw new Error(`${one.by} made no sources`)
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [by] = process.argv.slice(2)
  if (by === undefined) generateSources()
  else await write(by)
}
