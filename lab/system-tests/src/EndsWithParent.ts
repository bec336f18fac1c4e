/** Loaded into a host (`--import`), it ends the host when the parent process ends, even by SIGKILL. */
process.once("disconnect", () => process.exit(1))
process.channel?.unref()
