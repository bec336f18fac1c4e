/** The documentation site in the package. Without it the host serves a list of pages in its place. */
import { fileURLToPath } from "node:url"
import { SystemHttp } from "@crossdock/http"
import { Effect, FileSystem, Layer } from "effect"
import { HttpStaticServer } from "effect/http"

const root = fileURLToPath(new URL("../site", import.meta.url))

export const layer = Layer.effect(
  SystemHttp.Site,
  Effect.flatMap(FileSystem.FileSystem, ({ exists }) =>
    Effect.flatMap(exists(root), (isMade) => (isMade ? HttpStaticServer.make({ root }) : Effect.undefined))
  )
)
