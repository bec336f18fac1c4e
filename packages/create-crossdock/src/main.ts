/**
 * `npm create crossdock`: npm runs the package `create-crossdock` for it.
 */
import "@crossdock/create/main"
