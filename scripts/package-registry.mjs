/**
 * `node scripts/package-registry.mjs [folder]` starts a registry of the packed packages (`dist-packages`) on this machine.
 * It prints the line with which a project gets `@crossdock` from it.
 */
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const packagesIn = (folder) =>
  readdirSync(folder)
    .filter((file) => file.endsWith(".tgz"))
    .map((file) => {
      const manifest = execFileSync("tar", ["-xOzf", join(folder, file), "package/package.json"], { encoding: "utf8" })
      const bytes = readFileSync(join(folder, file))
      const integrity = `sha512-${createHash("sha512").update(bytes).digest("base64")}`
      return { file, bytes, integrity, manifest: JSON.parse(manifest) }
    })

/** What a registry answers about a package. The stated time is long ago, because some package managers delay new releases. */
const described = ({ file, integrity, manifest }, url) => ({
  name: manifest.name,
  "dist-tags": { latest: manifest.version },
  versions: { [manifest.version]: { ...manifest, dist: { integrity, tarball: `${url}/${file}` } } },
  time: { [manifest.version]: "2026-01-01T00:00:00.000Z" }
})

/** Serves the tarballs of a folder on a port of this machine. By default, it is a free port. */
export const serve = async (folder, port = 0) => {
  const packages = packagesIn(folder)
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? "").slice(1)
    const file = packages.find((one) => one.file === path)
    const named = packages.find((one) => one.manifest.name === path)
    if (file) response.end(file.bytes)
    else if (named) response.setHeader("content-type", "application/json").end(JSON.stringify(described(named, url)))
    else response.writeHead(404).end()
  })
  await new Promise((resolve, reject) => server.once("error", reject).listen(port, "127.0.0.1", resolve))
  const url = `http://127.0.0.1:${server.address().port}`
  return { url, manifests: packages.map(({ manifest }) => manifest), close: () => server.close() }
}

const sentenceOf = ({ code, message }, folder) =>
  ({
    ENOENT: `${folder} doesn't exist. Make the packages with npm run release -- pack.`,
    EADDRINUSE: "Port 4873 is in use. Stop the program that uses it, maybe another registry."
  })[code] ?? message

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = process.argv[2] ?? fileURLToPath(new URL("../dist-packages", import.meta.url))
  try {
    const { url, manifests } = await serve(folder, 4873)
    console.log(`${manifests.length} packages. Point npm at them:\nnpm config set @crossdock:registry ${url}`)
  } catch (error) {
    console.error(sentenceOf(error, folder))
    process.exitCode = 1
  }
}
