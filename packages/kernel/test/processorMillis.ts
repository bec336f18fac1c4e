/**
 * The processor time that this process has taken so far, in milliseconds. Unlike a clock it counts nothing of what else the
 * machine does, so load breaks no bound.
 */
export const processorMillis = (): number => {
  const { system, user } = process.cpuUsage()
  return (system + user) / 1000
}
