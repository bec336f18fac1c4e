/** `npm create crossdock`: npm runs the package `create-crossdock` for it. */
export { run } from "@crossdock/create/main"
