/**
 * Why somebody was not let in.
 */
import * as Schema from "effect/Schema"

export class TokenMissing extends Schema.TaggedError<TokenMissing>("@crossdock/access/TokenMissing")(
  "TokenMissing",
  {}
) {
  override get message() {
    return "A token is needed; sign in to get one"
  }
}

export class TokenInvalid extends Schema.TaggedError<TokenInvalid>("@crossdock/access/TokenInvalid")(
  "TokenInvalid",
  {}
) {
  override get message() {
    return "The token is malformed, wrongly signed, for another interface, or no longer good"
  }
}

export class TokenExpired extends Schema.TaggedError<TokenExpired>("@crossdock/access/TokenExpired")(
  "TokenExpired",
  {}
) {
  override get message() {
    return "The token has expired; sign in again with the same credentials"
  }
}

/**
 * One answer for an unknown name and a wrong password, so that nothing is told.
 */
export class CredentialsInvalid extends Schema.TaggedError<CredentialsInvalid>("@crossdock/access/CredentialsInvalid")(
  "CredentialsInvalid",
  {}
) {
  override get message() {
    return "Wrong username or password"
  }
}

export class TooManyAttempts extends Schema.TaggedError<TooManyAttempts>("@crossdock/access/TooManyAttempts")(
  "TooManyAttempts",
  { retryAfterSeconds: Schema.Int }
) {
  override get message() {
    return `Too many failed sign-ins; try again in ${this.retryAfterSeconds} seconds`
  }
}

/**
 * A valid token without the right to what was asked.
 */
export class Forbidden extends Schema.TaggedError<Forbidden>("@crossdock/access/Forbidden")("Forbidden", {
  reason: Schema.String
}) {
  override get message() {
    return this.reason
  }
}

/**
 * A location code that the company does not have.
 */
export class UnknownLocation extends Schema.TaggedError<UnknownLocation>("@crossdock/access/UnknownLocation")(
  "UnknownLocation",
  { location: Schema.String }
) {
  override get message() {
    return `There is no location ${this.location}`
  }
}
