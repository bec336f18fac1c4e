/**
 * Loaded into a host that another program started (`--import`): the host ends as soon as that program has, even by SIGKILL.
 * Until then the channel between them keeps nothing running.
 */
process.once("disconnect", () => process.exit(1))
process.channel?.unref()
