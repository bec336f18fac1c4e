/**
 * Loaded into a host that another program started (`--import`): the host ends with that program, even by SIGKILL. The channel
 * between them doesn't keep the host running.
 */
process.once("disconnect", () => process.exit(1))
process.channel?.unref()
