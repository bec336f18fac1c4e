/**
 * Why a caller was rejected.
 */
import * as Schema from "effect/Schema"

/**
 * The request has no token.
 */
export class TokenMissing extends Schema.TaggedError<TokenMissing>("@crossdock/access/TokenMissing")(
  "TokenMissing",
  {}
) {
  override get message() {
    return "The request has no token. Sign in to get one, and send it with every request."
  }
}

/**
 * What is wrong with a token or a signed link, and what to do. Only a caller that has a genuine token learns that it is
 * another interface's, or that its account has changed.
 */
const tokenFaults = {
  malformed: "The token is malformed. Send it complete and unchanged, as you got it when you signed in.",
  signature: "The token's signature is wrong: it was changed, or another host issued it. Sign in on this host again.",
  otherInterface: "The token is for another interface. Sign in to this one.",
  revoked:
    "The token's account was disabled, or its password was changed. Sign in with the present password; if that fails, ask the operator.",
  future:
    "The token was issued in the future by this host's clock. Sign in again; if that fails too, the clocks of the hosts differ: report it to the operator.",
  link: "The link is wrong: it was changed, cut off, or signed by another host. Read the shipment or invoice again for a new one."
} as const

/**
 * The token was not made by this system for this interface, or its account or password has changed; or a link is not one
 * that this system signed.
 */
export class TokenInvalid extends Schema.TaggedError<TokenInvalid>("@crossdock/access/TokenInvalid")("TokenInvalid", {
  fault: Schema.Literals(["malformed", "signature", "otherInterface", "revoked", "future", "link"])
}) {
  override get message() {
    return tokenFaults[this.fault]
  }
}

/**
 * The token is older than a day, or a link's time is over.
 */
export class TokenExpired extends Schema.TaggedError<TokenExpired>("@crossdock/access/TokenExpired")("TokenExpired", {
  of: Schema.Literals(["token", "link"])
}) {
  override get message() {
    return this.of === "token"
      ? "The token has expired: it is older than 24 hours. Sign in again for a new one."
      : "The link has expired. Read the shipment or invoice again for a new one."
  }
}

/**
 * The same error for an unknown username and a wrong password, so that it doesn't reveal which usernames exist.
 */
export class CredentialsInvalid extends Schema.TaggedError<CredentialsInvalid>("@crossdock/access/CredentialsInvalid")(
  "CredentialsInvalid",
  {}
) {
  override get message() {
    return "The username or the password is wrong. Check both and try again."
  }
}

/**
 * The username or the address is blocked after too many failed sign-ins, or too many sign-ins wait on this host.
 */
export class TooManyAttempts extends Schema.TaggedError<TooManyAttempts>("@crossdock/access/TooManyAttempts")(
  "TooManyAttempts",
  { retryAfterSeconds: Schema.Int }
) {
  override get message() {
    return `There were too many failed sign-ins, or too many at once. Try again in ${this.retryAfterSeconds} seconds.`
  }
}

/**
 * The token is valid but doesn't permit the request.
 */
export class Forbidden extends Schema.TaggedError<Forbidden>("@crossdock/access/Forbidden")("Forbidden", {
  reason: Schema.String
}) {
  override get message() {
    return this.reason
  }
}

/**
 * The company has no location with this code.
 */
export class UnknownLocation extends Schema.TaggedError<UnknownLocation>("@crossdock/access/UnknownLocation")(
  "UnknownLocation",
  { location: Schema.String }
) {
  override get message() {
    return `Your company has no location ${this.location}. Send the code of one of its locations.`
  }
}
