/** Loaded into a host (`--import`). Between two messages of the parent, it profiles the host and counts its statements. */
import { Session } from "node:inspector/promises"
import BetterSqlite3 from "better-sqlite3"

const session = new Session()
session.connect()

/** The count of each statement, and its microseconds. */
const statements = new Map<string, { count: number; micros: number }>()
let isCounting = false
let from = process.cpuUsage()

const counted = <A>(text: string, run: () => A): A => {
  const from = performance.now()
  const answer = run()
  const { count = 0, micros = 0 } = statements.get(text) ?? {}
  statements.set(text, { count: count + 1, micros: micros + (performance.now() - from) * 1000 })
  return answer
}

const probe = new BetterSqlite3(":memory:")
const prototype = Object.getPrototypeOf(probe.prepare("SELECT 1"))
for (const name of ["run", "all"]) {
  const own = prototype[name]
  prototype[name] = function (this: { readonly source: string }, ...args: ReadonlyArray<unknown>) {
    return isCounting ? counted(this.source, () => own.apply(this, args)) : own.apply(this, args)
  }
}
const databases = Object.getPrototypeOf(probe)
const exec = databases.exec
databases.exec = function (text: string) {
  return isCounting ? counted(text, () => exec.call(this, text)) : exec.call(this, text)
}
probe.close()

/** The files of our packages with functions that ran since the last call. */
const filesEntered = async () => {
  const { result } = await session.post("Profiler.takePreciseCoverage")
  return result
    .filter(({ functions }) =>
      functions.some(({ functionName, ranges }) => functionName !== "" && ranges.some(({ count }) => count > 0))
    )
    .flatMap(({ url }) => /packages\/([\w-]+)\/dist\/(.+)\.js$/.exec(url)?.slice(1, 3).join("/") ?? [])
}

process.on("message", async (message) => {
  if (message === "begin") {
    await session.post("Profiler.enable")
    await session.post("Profiler.setSamplingInterval", { interval: 100 })
    await session.post("Profiler.start")
    from = process.cpuUsage()
    process.send?.({ begun: true })
  }
  if (message === "end") {
    const { system, user } = process.cpuUsage(from)
    const { profile } = await session.post("Profiler.stop")
    process.send?.({ cpu: (system + user) / 1000, profile })
  }
  if (message === "cover") {
    await session.post("Profiler.enable")
    await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false })
    await filesEntered()
    process.send?.({ covering: true })
  }
  if (message === "covered") {
    const files = await filesEntered()
    await session.post("Profiler.stopPreciseCoverage")
    process.send?.({ files })
  }
  if (message === "count") {
    statements.clear()
    isCounting = true
    process.send?.({ counting: true })
  }
  if (message === "counts") {
    isCounting = false
    process.send?.({ statements: [...statements] })
  }
})
