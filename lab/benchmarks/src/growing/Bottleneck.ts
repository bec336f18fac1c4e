/** Finds the first bottleneck of orders, from measurements at the highest rate. */
import type { Usage } from "./Usage.ts"

/** How often each event was seen in working sessions. */
export type Seen = ReadonlyMap<string, number>

/** The share of time above which a processor counts as busy. */
const full = 0.85

/** The share of all sessions' time from which a kind of wait is the bottleneck. */
const much = 1 / 3

const share = (seen: Seen, kind: RegExp): number => {
  const all = [...seen.values()].reduce((sum, count) => sum + count, 0)
  const of = [...seen].filter(([event]) => kind.test(event)).reduce((sum, [, count]) => sum + count, 0)
  return all === 0 ? 0 : of / all
}

/** Checks locks first, because more processors don't help while sessions wait for one company. Disk and processors follow. */
export const of = (usage: Usage, seen: Seen): string => {
  const { clients, cores, host, others, server } = usage
  if (share(seen, /^Lock:/) > much) return "the row of a company, which its writes lock one after the other"
  if (share(seen, /DataFileRead/) > much)
    return "reads of the disk: the cache of PostgreSQL is smaller than what is read"
  if (share(seen, /WALSync|WALWrite|WalSync|WalWrite/) > much) return "the wait for the disk's log"
  if (host > full) return "the processor of the host, which uses one core"
  return host + server + clients + others > full * cores
    ? "the processors of this machine, which the host, PostgreSQL, the clients and other programs share"
    : "none of these: the clients waited for answers"
}
