/** This process's processor time so far, in milliseconds. Other load on the machine doesn't count, so it breaks no bound. */
export const processorMillis = (): number => {
  const { system, user } = process.cpuUsage()
  return (system + user) / 1000
}
