/** Serves the Worker on this machine: `npm run lab -- worker`. Its database is in `.worker`. */
import * as Bundle from "./Bundle.ts"

const port = Number(process.env.PORT ?? 8787)
const bindings = {
  PUBLIC_URL: `http://127.0.0.1:${port}`,
  SETUP_KEY: process.env.SETUP_KEY ?? "a setup key of thirty-two bytes, for this machine alone",
  PRIVATE_WEBHOOKS: "true"
}
const { url } = await Bundle.start(await Bundle.make(Bundle.worker), bindings, {
  port,
  durableObjectsPersist: ".worker"
})
console.log(`Listening on ${url}`)
