/** Adapter: describes user agents with bowser. */
import { UserAgents } from "@crossdock/audit"
import Bowser from "bowser"
import * as Layer from "effect/Layer"

const known = (fields: Readonly<Record<string, string | undefined>>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== ""))

/** Describes a user agent, without unknown parts. */
export const make = UserAgents.of({
  describe: (userAgent) => {
    // The limit of characters bounds the time of patterns.
    const { browser, engine, os, platform } = Bowser.parse(userAgent.slice(0, 1000))
    return {
      browser: known({ name: browser.name, version: browser.version, major: browser.version?.split(".")[0] }),
      device: platform.type === "desktop" ? {} : known({ ...platform }),
      cpu: {},
      os: known({ name: os.name, version: os.version }),
      engine: known({ name: engine.name, version: engine.version })
    }
  }
})

export const layer = Layer.succeed(UserAgents, make)
