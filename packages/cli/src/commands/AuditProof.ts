/** `crossdock audit prove` and `verify-proof`: proofs of a record or of a continued trail, which show no other records. */
import { AuditProof, AuditTrail, type Checkpoint } from "@crossdock/audit"
import { DigestNode } from "@crossdock/crypto"
import { Schema } from "effect"
import * as Answer from "../Answer.ts"
import * as Checkpoints from "../Checkpoints.ts"
import { CommandFailure } from "../CommandFailure.ts"
import * as CommandLine from "../CommandLine.ts"
import { define } from "../Management.ts"
import * as TextFile from "../TextFile.ts"
import * as Company from "./Company.ts"

const options = {
  checkpoint: CommandLine.text("checkpoint", "the proof's checkpoint"),
  since: CommandLine.optional("since", "an earlier checkpoint of the trail")
}

const differs = (company: number) =>
  new CommandFailure(
    `The trail of company ${company} differs from the one that the checkpoint signed. Run "crossdock audit verify --company ${company}" with it`
  )

export const prove = define({
  name: "prove",
  does: "Prints a proof that the trail of a checkpoint contains a record, or that it contains all records of an earlier checkpoint. Anyone with the checkpoints and the public key can verify it.",
  examples: ["audit prove 7 --record 1 --checkpoint checkpoint-7.json > proof-1.json"],
  options: {
    company: Company.companyId,
    record: CommandLine.orNull(CommandLine.whole("record", "the record's sequence number", 1)),
    ...options
  },
  *run({ checkpoint: path, company, record, since: sincePath }) {
    if ((record === null) === (sincePath === null))
      return yield* new CommandFailure(
        "Name what to prove: a --record, or the checkpoint --since which the trail continues"
      )
    yield* Company.find(company)
    const checkpoint = yield* Checkpoints.read(path, company)
    const since = sincePath === null ? undefined : yield* Checkpoints.read(sincePath, company)
    const { proveContinuation, proveRecord } = yield* AuditTrail.AuditTrail
    const proof = yield* since === undefined
      ? proveRecord(company, record ?? 0, checkpoint.sequence)
      : proveContinuation(company, since.sequence, checkpoint.sequence)
    if (proof === undefined)
      return yield* new CommandFailure(
        `There is no proof: ${since === undefined ? `record ${record}` : `record ${since.sequence}, the last of --since,`} was dropped, or is later than record ${checkpoint.sequence}, the last of the checkpoint`
      )
    const isOfTrail =
      "body" in proof ? AuditProof.provesRecord(DigestNode.make, proof) : proof.firstRoot === since?.root
    if (proof.root !== checkpoint.root || !isOfTrail) return yield* differs(company)
    return Answer.sentence(JSON.stringify(proof), proof)
  }
})

const Proof = Schema.Union([AuditProof.RecordProof, AuditProof.ContinuationProof])

const faultOf = (
  proof: typeof Proof.Type,
  checkpoint: Checkpoint.Checkpoint,
  since: Checkpoint.Checkpoint | undefined
): string | undefined => {
  const { company, root, size } = proof
  if (company !== checkpoint.company || size !== checkpoint.sequence || root !== checkpoint.root)
    return "it leads to another checkpoint"
  if ("body" in proof) return AuditProof.provesRecord(DigestNode.make, proof) ? undefined : "its hashes don't add up"
  if (since === undefined) return "it continues an earlier checkpoint: name that one with --since"
  if (company !== since.company || proof.first !== since.sequence || proof.firstRoot !== since.root)
    return "it continues another checkpoint than --since"
  return AuditProof.provesContinuation(DigestNode.make, proof) ? undefined : "its hashes don't add up"
}

export const verify = CommandLine.define({
  name: "verify-proof",
  does: "Verifies a proof that audit prove made, and the signatures of its checkpoints, without a database. Exits with 1 if the proof is wrong.",
  examples: ["audit verify-proof proof-1.json --checkpoint checkpoint-7.json"],
  options: {
    proof: CommandLine.argument("proof", "the file with the proof; - is standard input"),
    ...options,
    publicKey: Checkpoints.publicKey
  },
  *run({ checkpoint: path, proof: proofPath, publicKey, since: sincePath }) {
    const proof = yield* TextFile.readAs(proofPath, Proof, "a proof")
    const checkpoint = yield* Checkpoints.genuine(path, publicKey)
    const since = sincePath === null ? undefined : yield* Checkpoints.genuine(sincePath, publicKey)
    const fault = faultOf(proof, checkpoint, since)
    const subject = "body" in proof ? `has record ${proof.sequence}` : `continues its first ${proof.first} unchanged`
    const text =
      fault === undefined
        ? `Proven: the trail of company ${proof.company} (${Answer.counted(proof.size, "record")}) ${subject}.`
        : `The proof is wrong: ${fault}.`
    return Answer.sentence(text, { proven: fault === undefined, fault: fault ?? null }, fault !== undefined)
  }
})
