/**
 * This module is loaded into a host (`--import`). It ends the host when the parent process ends, even if the parent is killed
 * with SIGKILL. The channel to the parent doesn't keep the host alive.
 */
process.once("disconnect", () => process.exit(1))
process.channel?.unref()
