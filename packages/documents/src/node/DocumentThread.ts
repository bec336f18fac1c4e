/** The script of a drawing thread, which `DocumentRendererNode` starts. A thread draws one task at a time. */
import { parentPort, workerData } from "node:worker_threads"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as DocumentRendererPdf from "../pdf/DocumentRendererPdf.ts"
import type { Done, Ready, Task, ThreadSettings } from "./DocumentRendererNode.ts"

const settings: ThreadSettings = workerData
// There is no time limit here, since the caller terminates slow threads.
const limits = { pages: settings.pages, time: Number.POSITIVE_INFINITY }
const { invoices, labels } = DocumentRendererPdf.make(settings.fonts, limits)

const draw = ({ documents, kind, size }: Task) =>
  kind === "labels" ? labels(documents, size) : invoices(documents, size)

const answer = (task: Task): Effect.Effect<Done> =>
  draw(task).pipe(
    Effect.map((bytes): Done => ({ _tag: "Drawn", bytes })),
    Effect.catchTag("DocumentTooLarge", () => Effect.succeed<Done>({ _tag: "TooLarge" })),
    Effect.catchCause((cause) => Effect.succeed<Done>({ _tag: "Defect", cause: Cause.pretty(cause) }))
  )

parentPort?.on("message", (task: Task) => {
  Effect.runPromise(answer(task)).then((done) => parentPort?.postMessage(done))
})

parentPort?.postMessage({ _tag: "Ready" } satisfies Ready)
