/** `crossdock location`: the places where companies keep stock. */
import { Directory } from "@crossdock/access"
import { Companies } from "@crossdock/host"
import { type LocationMapping, MarketplaceStore, Marketplaces, Registration } from "@crossdock/marketplaces"
import { Flag } from "effect/cli"
import * as Answer from "../Answer.ts"
import { CommandFailure } from "../CommandFailure.ts"
import * as CommandLine from "../CommandLine.ts"
import { caller, define } from "../Management.ts"
import * as Company from "./Company.ts"

const code = CommandLine.argument("code", "the location's code, such as BLR1")

const text = (name: string, description: string) => CommandLine.text(name, description, "")

/** The flags for an address. Either all required parts are given, or no part is given. */
const addressFlags = {
  address1: text("address1", "first line of the address on labels and invoices"),
  address2: text("address2", "second line of the address"),
  city: text("city", "the city"),
  state: text("state", "the state"),
  pincode: text("pincode", "the postal code"),
  country: text("country", "the country"),
  phone: text("phone", "a phone number"),
  gstin: text("gstin", "the company's GSTIN (tax number) for this location")
}

export const command = CommandLine.group("location", "Places where companies keep stock.", [
  define({
    name: "add",
    does: "Adds or changes a location of a company. Handling hours and an address that you omit don't change. The currency can't change, because prices and orders use it.",
    examples: [
      `location add 7 NGT1 --name "Night Market 1" --currency INR`,
      `location add 7 NGT1 --name "Night Market 1" --currency INR --address1 "1 Market Road" --city Bengaluru --state Karnataka --pincode 560001 --country India --gstin 29AAAAA0000A1Z5`
    ],
    options: {
      company: Company.companyId,
      code,
      name: CommandLine.text("name", "its name"),
      currency: CommandLine.text("currency", "the currency of its prices and orders, an ISO 4217 code"),
      handlingHours: CommandLine.orNull(
        Flag.Int("handling-hours").pipe(
          Flag.withDescription(
            "hours within which an order must be packed, at most 8760 (default: 24 for a new location, otherwise unchanged)"
          )
        )
      ),
      ...addressFlags
    },
    *run({ code, company, currency, handlingHours, name, ...address }) {
      const lacking = (["address1", "city", "state", "pincode", "country"] as const).filter((one) => !address[one])
      const isGiven = Object.values(address).some((one) => one !== "")
      if (isGiven && lacking.length > 0)
        return yield* new CommandFailure(
          `An address needs ${lacking.map((one) => `--${one}`).join(", ")} too. Add them, or leave out the whole address`
        )
      const orNull = (text: string) => (text === "" ? null : text)
      const { address2, gstin, phone, ...lines } = address
      const full = isGiven ? { ...lines, address2: orNull(address2), phone: orNull(phone), gstin: orNull(gstin) } : null
      const known = yield* (yield* Directory).locations([company])
      const location = Companies.located({ code, name, currency, handlingHours, address: full }, known)
      yield* (yield* Companies.Companies).register(caller, yield* Company.find(company), [location])
      return Answer.sentence(`Location ${code} of company ${company} is ${name}.`, { companyId: company, ...location })
    }
  }),
  define({
    name: "list",
    does: "Lists the locations of all companies, or of one.",
    examples: ["location list", "location list --company 7"],
    options: { company: Company.everyCompany },
    *run({ company }) {
      const ids = (yield* Company.chosen(company)).map(({ id }) => id)
      const found = ids.length === 0 ? [] : yield* (yield* Directory).locations(ids)
      const locations = found.map(({ customFields: _, ...location }) => location)
      return Answer.table(locations, ["companyId", "code", "name", "currency", "handlingHours"])
    }
  }),
  define({
    name: "disable",
    does: "Stops selling from a location. Marketplaces can no longer order from it, and get no notifications of its stock. Stock and open orders stay.",
    examples: ["location disable 7 NGT1"],
    options: { company: Company.companyId, code },
    *run({ code, company }) {
      const known = yield* (yield* Directory).locations([company])
      if (!known.some((one) => one.code === code))
        return yield* new CommandFailure(
          `Company ${company} has no location ${code}. "crossdock location list" lists them`
        )
      const isHere = (mapping: LocationMapping) => mapping.companyId === company && mapping.location === code
      const left = (yield* (yield* MarketplaceStore).all).filter((one) => Registration.of(one).locations.some(isHere))
      const { amend } = yield* Marketplaces.Marketplaces
      for (const { slug } of left)
        yield* amend(caller, slug, (current) => ({
          ...current,
          locations: current.locations.filter((mapping) => !isHere(mapping))
        }))
      return Answer.sentence(
        `${Answer.counted(left.length, "marketplace")} stopped selling from ${code} of company ${company}.`,
        { companyId: company, code, marketplaces: left.map(({ slug }) => slug) }
      )
    }
  })
])
