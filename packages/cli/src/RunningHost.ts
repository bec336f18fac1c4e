/** Calls of commands to a running host over HTTP, and the accounts that they use. */
import { MarketplaceClient, SellerClient } from "@crossdock/client"
import { Config, Effect, Redacted } from "effect"
import { Flag } from "effect/cli"
import { FetchHttpClient, type HttpClient } from "effect/http"
import * as CommandLine from "./CommandLine.ts"
import { Terminal } from "./Terminal.ts"

/** The address of a host with the default settings. */
export const defaultUrl = "http://127.0.0.1:8080"

/** `--url`: the host's address. */
export const url = Flag.String("url").pipe(
  Flag.filter(
    (text) => /^https?:\/\//.test(text) && URL.canParse(text),
    () => "an http or https URL"
  ),
  Flag.withDescription(`the host's address (default: CROSSDOCK_URL, or else ${defaultUrl})`),
  Flag.withFallbackConfig(Config.String("CROSSDOCK_URL")),
  Flag.withDefault(defaultUrl)
)

export const seller = CommandLine.text("seller", "the seller's username (default: acme, of the sandbox)", "acme")

export const marketplace = CommandLine.text(
  "marketplace",
  "the marketplace's slug (default: bazaar, of the sandbox)",
  "bazaar"
)

export const define = CommandLine.definer<CommandLine.Surroundings | HttpClient.HttpClient>(
  Effect.provide(FetchHttpClient.layer)
)

/** A sentence for the help of commands that says where passwords come from. */
export const passwords =
  "Passwords come from CROSSDOCK_PASSWORD (seller) and CROSSDOCK_MARKETPLACE_PASSWORD (marketplace), by default the sandbox's."

const passwordOf = (variable: string, username: string) =>
  Effect.map(Terminal, ({ environment }) => Redacted.make(environment[variable] || `${username}-secret`))

export const sellerOf = (url: string, username: string) =>
  Effect.flatMap(passwordOf("CROSSDOCK_PASSWORD", username), (password) =>
    SellerClient.make({ url, username, password })
  )

export const marketplaceOf = (url: string, slug: string) =>
  Effect.flatMap(passwordOf("CROSSDOCK_MARKETPLACE_PASSWORD", slug), (password) =>
    MarketplaceClient.make({ url, slug, username: slug, password })
  )
