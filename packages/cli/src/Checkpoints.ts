/** Checkpoints as files, and the key that signs them. */
import { Checkpoint } from "@crossdock/audit"
import { SignerNode } from "@crossdock/crypto"
import { Effect, Redacted } from "effect"
import { CommandFailure } from "./CommandFailure.ts"
import * as SecretFiles from "./SecretFiles.ts"
import { Terminal } from "./Terminal.ts"
import * as TextFile from "./TextFile.ts"

const keyBytes = 32

/** The signer of AUDIT_KEY. */
export const signing = Effect.gen(function* () {
  const { environment } = yield* Terminal
  const key = (yield* SecretFiles.read(environment)).AUDIT_KEY ?? ""
  if (Buffer.byteLength(key) < keyBytes)
    return yield* new CommandFailure(
      `AUDIT_KEY must have at least ${keyBytes} bytes: set it to the key of your checkpoints`
    )
  return SignerNode.make(Redacted.make(key))
})

/** The checkpoint in a file. */
export const read = (path: string) =>
  TextFile.readAs(path, Checkpoint.Checkpoint, "a checkpoint").pipe(
    Effect.mapError((failure) =>
      /can't be read/.test(failure.message)
        ? failure
        : new CommandFailure(`${path} is not a checkpoint: give the file that "crossdock audit checkpoint" printed`)
    )
  )
