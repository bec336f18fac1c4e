/** Checkpoints as files, the key that signs them, and the keys that verify them. */
import { Checkpoint } from "@crossdock/audit"
import { CheckpointKey } from "@crossdock/crypto"
import { Effect, Redacted, Result } from "effect"
import { CommandFailure } from "./CommandFailure.ts"
import * as CommandLine from "./CommandLine.ts"
import * as SecretFiles from "./SecretFiles.ts"
import { Terminal } from "./Terminal.ts"
import * as TextFile from "./TextFile.ts"

const variable = (name: (typeof SecretFiles.names)[number]) =>
  Effect.gen(function* () {
    const { environment } = yield* Terminal
    return (yield* SecretFiles.read(environment))[name] ?? ""
  })

/** Signs checkpoints with AUDIT_SIGNING_KEY. */
export const signing = Effect.gen(function* () {
  const signer = CheckpointKey.signer(Redacted.make(yield* variable("AUDIT_SIGNING_KEY")))
  if (signer !== undefined) return signer
  return yield* new CommandFailure(
    "AUDIT_SIGNING_KEY must be an Ed25519 private key, as PEM: make one with crossdock audit key FILE"
  )
})

/** Reads the checkpoint in a file. If `company` is given, the checkpoint must be of this company. */
export const read = (path: string, company?: number) =>
  TextFile.readAs(path, Checkpoint.Checkpoint, "a checkpoint").pipe(
    Effect.mapError((failure) =>
      /can't be read/.test(failure.message)
        ? failure
        : new CommandFailure(`${path} is not a checkpoint: give the file that "crossdock audit checkpoint" printed`)
    ),
    Effect.filterOrFail(
      (one) => company === undefined || one.company === company,
      (one) => new CommandFailure(`The checkpoint is of company ${one.company}, not of company ${company}`)
    )
  )

/** `--public-key`: the keys that verify checkpoints. */
export const publicKey = CommandLine.optional(
  "public-key",
  "the public keys as JWKS: a file, or a URL such as https://HOST/.well-known/crossdock-audit-keys.json (default: AUDIT_PUBLIC_KEYS)"
)

const fetched = (url: string) =>
  Effect.tryPromise({
    try: async () => {
      const answer = await fetch(url, { signal: AbortSignal.timeout(10_000) })
      if (!answer.ok) throw new Error(`status ${answer.status}`)
      return await answer.text()
    },
    catch: (error) =>
      new CommandFailure(`${url} can't be read (${error instanceof Error ? error.message : error}): check --public-key`)
  })

const keysText = (from: string | null) =>
  from === null ? variable("AUDIT_PUBLIC_KEYS") : /^https?:/.test(from) ? fetched(from) : TextFile.read(from)

/** Reads the checkpoint in a file, and fails if none of the public keys verifies its signature. */
export const genuine = Effect.fnUntraced(function* (path: string, from: string | null, company?: number) {
  const checkpoint = yield* read(path, company)
  const keys = TextFile.decode(Checkpoint.PublicKeys, "a set of keys")(yield* keysText(from))
  if (Result.isFailure(keys))
    return yield* new CommandFailure(
      `${from ?? "AUDIT_PUBLIC_KEYS"} has no public keys: give the file that "crossdock audit key" wrote, or its URL, as --public-key`
    )
  if (Checkpoint.isGenuine(checkpoint, CheckpointKey.verifier(keys.success))) return checkpoint
  return yield* new CommandFailure(
    `None of the public keys verifies ${path}: it was changed, or signed with another key`
  )
})
