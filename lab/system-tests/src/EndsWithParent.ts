/** Loaded into a host (`--import`) to end it with its parent process, even by SIGKILL. The channel keeps nothing alive. */
process.once("disconnect", () => process.exit(1))
process.channel?.unref()
