/** The proxies of `operations`, with their configuration. Only ports, addresses and paths are replaced. */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const operations = fileURLToPath(new URL("../../../operations/", import.meta.url))
const textOf = (path: string) => readFileSync(join(operations, path), "utf8")

/** How to run a proxy in a separate process, and its log. */
export interface Proxy {
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly environment: Readonly<Record<string, string>>
  readonly log: () => string
}

/** Where a proxy runs: its program, its folder for files, its port, and the addresses (`IP:PORT`) of its one or two hosts. */
export interface Place {
  readonly program: string
  readonly folder: string
  readonly port: number
  readonly hosts: ReadonlyArray<string>
}

/** The path of the program if it is installed. */
export const programOf = (name: string): string | undefined =>
  `${process.env.PATH ?? ""}:/usr/sbin`
    .split(":")
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path))

const nginx = ({ folder, hosts, port, program }: Place): Proxy => {
  const log = join(folder, "nginx.log")
  const [first = "", second] = hosts
  const placed = (text: string) =>
    text
      .replaceAll("/etc/nginx/", `${folder}/`)
      .replaceAll(/\/dev\/std(out|err)|\bstderr\b/g, log)
      .replace("/tmp/nginx.pid", `${folder}/nginx.pid`)
      .replace("host-1:8080", first)
      .replace(second === undefined ? /\n *server host-2[^\n]*/ : "host-2:8080", second ?? "")
      .replace("listen 8080", `listen 127.0.0.1:${port}`)
      .replace(
        "http {",
        `http {\n${["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${folder}/${name};`).join("\n")}`
      )
  for (const file of ["crossdock-log.conf", "crossdock-proxy.conf"])
    writeFileSync(join(folder, file), placed(textOf(`nginx/${file}`)))
  writeFileSync(join(folder, "nginx.conf"), placed(textOf("docker/nginx.conf")))
  const args = ["-p", folder, "-e", log, "-c", join(folder, "nginx.conf"), "-g", "daemon off;"]
  return { command: program, args, environment: {}, log: () => readFileSync(log, "utf8") }
}

const logged = (program: string, args: ReadonlyArray<string>, log: string) => ({
  command: "sh",
  args: ["-c", `exec "$0" "$@" > "${log}" 2>&1`, program, ...args],
  log: () => readFileSync(log, "utf8")
})

const caddy = ({ folder, hosts, port, program }: Place): Proxy => {
  writeFileSync(join(folder, "Caddyfile"), textOf("caddy/Caddyfile").replace("\tlog {\n", "\tadmin off\n\tlog {\n"))
  const args = ["run", "--adapter", "caddyfile", "--config", join(folder, "Caddyfile")]
  const environment = { HOME: folder, CROSSDOCK_SITE: `http://:${port}`, CROSSDOCK_HOSTS: hosts.join(" ") }
  return { ...logged(program, args, join(folder, "caddy.log")), environment }
}

const haproxy = ({ folder, hosts, port, program }: Place): Proxy => {
  const [first = "", second] = hosts
  const config = textOf("haproxy/haproxy.cfg")
    .replace(/bind :443[^\n]*/, `bind 127.0.0.1:${port}`)
    .replaceAll("127.0.0.1:8080", first)
    .replaceAll(second === undefined ? /\n *server host-2[^\n]*/g : "127.0.0.1:8081", second ?? "")
  writeFileSync(join(folder, "haproxy.cfg"), config)
  return {
    ...logged(program, ["-db", "-f", join(folder, "haproxy.cfg")], join(folder, "haproxy.log")),
    environment: {}
  }
}

export const proxies = { nginx, caddy, haproxy } as const
