/**
 * What the environment says (contract, Hosts and settings).
 */
import { Registration } from "@crossdock/marketplace"
import { Config, ConfigError, ConfigProvider, Effect, Either, LogLevel, Option, Redacted } from "effect"

const flag = (name: string) =>
  Config.string(name).pipe(
    Config.mapOrFail((value) =>
      value === "1" || value === "0"
        ? Either.right(value === "1")
        : Either.left(ConfigError.InvalidData([name], `${name} must be 0 or 1`))
    )
  )

/**
 * HS256 takes the secret's UTF-8 bytes as its key; fewer than 32 are too few.
 */
const tokenSecret = Config.redacted("TOKEN_SECRET").pipe(
  Config.mapOrFail((secret) =>
    Buffer.byteLength(Redacted.value(secret)) >= 32
      ? Either.right(secret)
      : Either.left(ConfigError.InvalidData(["TOKEN_SECRET"], "TOKEN_SECRET must have at least 32 bytes"))
  ),
  Config.option
)

const publicUrl = Config.nonEmptyString("PUBLIC_URL").pipe(
  Config.mapOrFail((url) =>
    /^https?:\/\/[^\s?#]+$/.test(url)
      ? Either.right(url.replace(/\/+$/, ""))
      : Either.left(ConfigError.InvalidData(["PUBLIC_URL"], "PUBLIC_URL must be an http or https URL without a query"))
  )
)

const sandboxWebhookUrl = Config.nonEmptyString("SANDBOX_WEBHOOK_URL").pipe(
  Config.validate({
    message: "SANDBOX_WEBHOOK_URL must be an http or https URL without a user",
    validation: Registration.isWebhookUrl
  })
)

const logFormat = Config.literal("pretty", "json")("LOG_FORMAT").pipe(Config.withDefault("pretty" as const))

const levels: Readonly<Record<string, LogLevel.LogLevel>> = {
  trace: LogLevel.Trace,
  debug: LogLevel.Debug,
  info: LogLevel.Info,
  warn: LogLevel.Warning,
  warning: LogLevel.Warning,
  error: LogLevel.Error,
  none: LogLevel.None
}

const logLevel = Config.string("LOG_LEVEL").pipe(
  Config.mapOrFail((value) => {
    const level = levels[value.toLowerCase()]
    return level === undefined
      ? Either.left(
          ConfigError.InvalidData(["LOG_LEVEL"], `LOG_LEVEL must be one of ${Object.keys(levels).join(", ")}`)
        )
      : Either.right(level)
  }),
  Config.withDefault(LogLevel.Info)
)

const settings = Config.all({
  /** 0 picks a free one. */
  port: Config.integer("PORT").pipe(
    Config.validate({ message: "PORT must be from 0 to 65535", validation: (port) => port >= 0 && port <= 65_535 }),
    Config.withDefault(8080)
  ),
  host: Config.string("HOST").pipe(Config.withDefault("127.0.0.1")),
  /** None: the address it listens on. Links that are given out begin with it. */
  publicUrl: Config.option(publicUrl),
  databaseUrl: Config.string("DATABASE_URL").pipe(Config.withDefault("sqlite:./crossdock.db")),
  /** None: the sandbox when the database holds no integration but its own. */
  sandbox: Config.option(flag("SANDBOX")),
  tokenSecret,
  trustProxy: Config.withDefault(flag("TRUST_PROXY"), false),
  queryCredentials: Config.withDefault(flag("QUERY_CREDENTIALS"), true),
  sandboxWebhookUrl: Config.option(sandboxWebhookUrl),
  sandboxWebhookSecret: Config.redacted("SANDBOX_WEBHOOK_SECRET").pipe(
    Config.withDefault(Redacted.make("whsec_c2FuZGJveC1iYXphYXItd2ViaG9vay1zZWNyZXQ="))
  ),
  /** None: allowed in the sandbox, else not. */
  webhookAllowPrivate: Config.option(flag("WEBHOOK_ALLOW_PRIVATE")),
  logFormat,
  logLevel
})

export type Settings = Config.Config.Success<typeof settings>

/**
 * A variable that is empty is not set.
 */
export const read = (
  environment: Readonly<Record<string, string | undefined>>
): Effect.Effect<Settings, ConfigError.ConfigError> => {
  const set = Object.entries(environment).flatMap(([name, value]) => (value ? [[name, value] as const] : []))
  return Effect.withConfigProvider(settings, ConfigProvider.fromMap(new Map(set)))
}

export const isSandbox = (chosen: Option.Option<boolean>, hasOwnIntegrations: boolean): boolean =>
  Option.getOrElse(chosen, () => !hasOwnIntegrations)
