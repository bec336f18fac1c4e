/** Adapter: encodes tokens as JWT with HS256, using the library jose. */
import { type Claims, TokenCodec, TokenExpired, TokenInvalid } from "@crossdock/access"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { errors, type JWTPayload, jwtVerify, SignJWT } from "jose"

const algorithm = "HS256"
const issuer = "crossdock"
const type = "JWT"

const isText = (value: unknown): value is string => typeof value === "string"
const isNumber = (value: unknown): value is number => typeof value === "number"

/** The claims of a verified payload. The result is undefined if the payload isn't one of ours. */
const claimsOf = (payload: JWTPayload, audience: Claims["audience"]): Claims | undefined => {
  const { company_id, exp, gen, iat, jti, scope, sub } = payload
  return isText(sub) && isText(jti) && isNumber(gen) && isNumber(iat) && isNumber(exp)
    ? {
        ...{ audience, subject: sub, id: jti, generation: gen, issuedAt: iat, expiresAt: exp },
        ...(isNumber(company_id) ? { companyId: company_id } : {}),
        ...(isText(scope) ? { scope } : {})
      }
    : undefined
}

/** A token has three parts in base64url without padding, so that a token can be written in one way only. */
const canonical = /^[\w-]+\.[\w-]+\.[\w-]+$/

/** The error for a rejected token. Audience and expiry are checked only after the signature was found valid. */
const failureOf = (error: unknown): TokenInvalid | TokenExpired => {
  if (error instanceof errors.JWTExpired) return new TokenExpired({ of: "token" })
  if (error instanceof errors.JWSSignatureVerificationFailed) return new TokenInvalid({ fault: "signature" })
  const isOther = error instanceof errors.JWTClaimValidationFailed && error.claim === "aud"
  return new TokenInvalid({ fault: isOther ? "otherInterface" : "malformed" })
}

/** Makes the `TokenCodec` of access: JWT with HS256. `secret` has at least 32 bytes, and `previous` secrets verify too. */
export const make = (secret: Redacted.Redacted, previous: ReadonlyArray<Redacted.Redacted> = []) => {
  const keyOf = (one: Redacted.Redacted) => new TextEncoder().encode(Redacted.value(one))
  const key = keyOf(secret)
  const older = previous.map(keyOf)

  const payloadOf = (token: string, audience: Claims["audience"], now: number) => {
    const demands = { algorithms: [algorithm], audience, issuer, typ: type, currentDate: new Date(now) }
    const verifiedWith = (one: Uint8Array) => jwtVerify(token, one, demands)
    let verified = verifiedWith(key)
    for (const one of older)
      verified = verified.catch((error) => {
        if (error instanceof errors.JWSSignatureVerificationFailed) return verifiedWith(one)
        throw error
      })
    return verified
  }

  return TokenCodec.of({
    sign: (claims) =>
      Effect.promise(() =>
        new SignJWT({
          gen: claims.generation,
          ...(claims.companyId === undefined ? {} : { company_id: claims.companyId }),
          ...(claims.marketplace === undefined ? {} : { marketplace: claims.marketplace }),
          ...(claims.locations === undefined ? {} : { locations: claims.locations }),
          ...(claims.scope === undefined ? {} : { scope: claims.scope })
        })
          .setProtectedHeader({ alg: algorithm, typ: type })
          .setIssuer(issuer)
          .setAudience(claims.audience)
          .setSubject(claims.subject)
          .setJti(claims.id)
          .setIssuedAt(claims.issuedAt)
          .setExpirationTime(claims.expiresAt)
          .sign(key)
      ),
    verify: (token, audience, now) => {
      if (!canonical.test(token)) return Effect.fail(new TokenInvalid({ fault: "malformed" }))
      return Effect.tryPromise({ try: () => payloadOf(token, audience, now), catch: failureOf }).pipe(
        Effect.flatMap(({ payload }) => {
          const claims = claimsOf(payload, audience)
          return claims === undefined ? Effect.fail(new TokenInvalid({ fault: "malformed" })) : Effect.succeed(claims)
        })
      )
    }
  })
}

/** The service `TokenCodec`, made by `make` with these secrets. It depends on no other service. */
export const layer = (
  secret: Redacted.Redacted,
  previous: ReadonlyArray<Redacted.Redacted> = []
): Layer.Layer<TokenCodec> => Layer.succeed(TokenCodec, make(secret, previous))
