/**
 * Adapter: documents drawn on threads of their own, so that a host goes on answering meanwhile, and a drawing that takes
 * too long really ends.
 */

import { availableParallelism } from "node:os"
import { Worker } from "node:worker_threads"
import { DocumentRenderer, DocumentTooLarge, DocumentTooSlow } from "@crossdock/shipments"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Pool from "effect/Pool"
import type { FontFile } from "../FontSet.ts"
import * as Rendering from "../Rendering.ts"
import * as Fonts from "./Fonts.ts"
import type { Done, Task, ThreadSettings } from "./Task.ts"

export interface Settings {
  /** Looked at after the fonts that come with the package: other scripts, such as Chinese or Arabic. */
  readonly moreFonts: ReadonlyArray<FontFile>
  readonly limits: Rendering.Limits
  /** At most; they start when they are needed and end when they were not for a while. */
  readonly threads: number
}

const idle = "5 minutes"

/**
 * Run from its source, as in tests, the thread is the one that was built: a thread loads JavaScript only.
 */
const program = new URL(
  import.meta.url.endsWith(".ts") ? "../../dist/node/DocumentThread.js" : "./DocumentThread.js",
  import.meta.url
)

const thread = (settings: ThreadSettings) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const worker = new Worker(program, { workerData: settings })
      // A thread that nobody waits for must not keep the process alive.
      worker.unref()
      return worker
    }),
    (worker) => Effect.promise(() => worker.terminate())
  )

const ask = (worker: Worker, task: Task): Effect.Effect<Done> =>
  Effect.async((resume) => {
    const answered = (done: Done) => resume(Effect.succeed(done))
    const failed = (error: Error) => resume(Effect.die(error))
    const ended = (code: number) => resume(Effect.dieMessage(`A drawing thread ended with code ${code}`))
    worker.once("message", answered).once("error", failed).once("exit", ended).postMessage(task)
    return Effect.sync(() => worker.off("message", answered).off("error", failed).off("exit", ended))
  })

export const make = ({
  limits = Rendering.defaultLimits,
  moreFonts = [],
  threads = Math.min(2, availableParallelism())
}: Partial<Settings> = {}) =>
  Effect.gen(function* () {
    const fonts = [...(yield* Fonts.bundled), ...moreFonts]
    const pool = yield* Pool.makeWithTTL({
      acquire: thread({ fonts, pages: limits.pages }),
      min: 0,
      max: threads,
      timeToLive: idle
    })

    const draw = (task: Task): Effect.Effect<Uint8Array, DocumentTooLarge | DocumentTooSlow> =>
      Effect.gen(function* () {
        const worker = yield* pool.get
        const done = yield* ask(worker, task).pipe(
          Effect.timeoutFail({
            duration: limits.time,
            onTimeout: () => new DocumentTooSlow({ seconds: Duration.toSeconds(limits.time) })
          }),
          // Whatever it does, nobody is listening to it any more.
          Effect.onError(() => pool.invalidate(worker))
        )
        switch (done._tag) {
          case "Drawn":
            return done.bytes
          case "TooLarge":
            return yield* new DocumentTooLarge({ limit: limits.pages })
          case "Defect":
            return yield* Effect.dieMessage(done.cause)
        }
      }).pipe(Effect.scoped)

    return DocumentRenderer.of({
      labels: (documents, size) => draw({ kind: "labels", documents, size }),
      invoices: (documents, size) => draw({ kind: "invoices", documents, size })
    })
  })

export const layer = (settings?: Partial<Settings>): Layer.Layer<DocumentRenderer> =>
  Layer.scoped(DocumentRenderer, make(settings))
