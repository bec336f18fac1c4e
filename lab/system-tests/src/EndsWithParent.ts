/**
 * Is loaded into a host (`--import`) and ends it with its parent process, even if the parent is killed with SIGKILL. The
 * channel to the parent doesn't keep the host alive.
 */
process.once("disconnect", () => process.exit(1))
process.channel?.unref()
