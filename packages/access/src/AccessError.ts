/**
 * Why a caller was rejected.
 */
import * as Schema from "effect/Schema"

/** The same error for an unknown username and a wrong password, so that it doesn't reveal which usernames exist. */
export class CredentialsInvalid extends Schema.TaggedError<CredentialsInvalid>("@crossdock/access/CredentialsInvalid")(
  "CredentialsInvalid",
  {}
) {
  override get message() {
    return "The username or the password is wrong. Check both and try again."
  }
}

/** The username or the address is blocked after too many failed sign-ins, or too many sign-ins wait on this host. */
export class TooManyAttempts extends Schema.TaggedError<TooManyAttempts>("@crossdock/access/TooManyAttempts")(
  "TooManyAttempts",
  { retryAfterSeconds: Schema.Int }
) {
  override get message() {
    return `There were too many failed sign-ins, or too many at once. Try again in ${this.retryAfterSeconds} seconds.`
  }
}

/** The token is valid but doesn't permit the request. */
export class Forbidden extends Schema.TaggedError<Forbidden>("@crossdock/access/Forbidden")("Forbidden", {
  reason: Schema.String
}) {
  override get message() {
    return this.reason
  }
}

/** The company has no location with this code. */
export class UnknownLocation extends Schema.TaggedError<UnknownLocation>("@crossdock/access/UnknownLocation")(
  "UnknownLocation",
  { location: Schema.String }
) {
  override get message() {
    return `Your company has no location ${this.location}. Send the code of one of its locations.`
  }
}
