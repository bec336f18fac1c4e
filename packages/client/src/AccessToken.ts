/**
 * The access token of a client. Calls that need a new one at the same time share one sign-in, and its failure.
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"

/**
 * `token` signs in when there is no token yet; `tokenAfter` when the present token is still the one that was rejected.
 */
export interface AccessToken<E> {
  readonly token: Effect.Effect<string, E>
  readonly tokenAfter: (rejected: string) => Effect.Effect<string, E>
}

export const make = <E>(signIn: Effect.Effect<string, E>): AccessToken<E> => {
  let token: string | undefined
  let signingIn: Fiber.Fiber<string, E> | undefined

  // It goes on when the call that began it is interrupted: others wait for it.
  const begin = signIn.pipe(
    Effect.tap((signedIn) => Effect.sync(() => (token = signedIn))),
    Effect.ensuring(Effect.sync(() => (signingIn = undefined))),
    Effect.forkDetach,
    Effect.tap((fiber) => Effect.sync(() => (signingIn = fiber)))
  )

  const after = (rejected: string | undefined) =>
    Effect.suspend(() =>
      token !== undefined && token !== rejected
        ? Effect.succeed(token)
        : Effect.flatMap(signingIn === undefined ? begin : Effect.succeed(signingIn), Fiber.join)
    )

  return { token: after(undefined), tokenAfter: after }
}
