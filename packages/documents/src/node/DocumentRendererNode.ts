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
  /** When the first one starts though nothing was asked yet: what is asked first then does not wait for it. */
  readonly warmAfter: Duration.DurationInput
}

const idle = "10 minutes"

/**
 * Run from its source, as in tests, the thread is the one that was built: a thread loads JavaScript only.
 */
const program = new URL(
  import.meta.url.endsWith(".ts") ? "../../dist/node/DocumentThread.js" : "./DocumentThread.js",
  import.meta.url
)

/**
 * What a thread says next. One that has ended, ends or fails instead is a defect of ours.
 */
const heard = <A>(worker: Worker, send: () => void): Effect.Effect<A> =>
  Effect.async((resume) => {
    const settle = (outcome: Effect.Effect<A>) => {
      worker.off("message", answered).off("error", failed).off("exit", ended)
      resume(outcome)
    }
    const answered = (said: A) => settle(Effect.succeed(said))
    const failed = (error: Error) => settle(Effect.die(error))
    const ended = () => settle(Effect.dieMessage("A drawing thread ended by itself"))
    worker.on("message", answered).on("error", failed).on("exit", ended)
    if (worker.threadId === -1) ended()
    else send()
    return Effect.sync(() => worker.off("message", answered).off("error", failed).off("exit", ended))
  })

/**
 * A thread that begins to read its fonts; what it is asked meanwhile waits for it. The pool waits for nothing, or a host
 * that is stopped meanwhile would never end.
 */
const thread = (settings: ThreadSettings) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const worker = new Worker(program, { workerData: settings })
      // A thread that nobody waits for must not keep the process alive, nor end it; who asks it next is told.
      worker.on("error", () => {}).unref()
      return worker
    }),
    (worker) => Effect.promise(() => worker.terminate())
  )

const ask = (worker: Worker, task: Task): Effect.Effect<Done> => heard(worker, () => worker.postMessage(task))

export const make = ({
  limits = Rendering.defaultLimits,
  moreFonts = [],
  threads = Math.min(2, availableParallelism()),
  warmAfter = Number.POSITIVE_INFINITY
}: Partial<Settings> = {}) =>
  Effect.gen(function* () {
    const fonts = [...(yield* Fonts.bundled), ...moreFonts]
    const pool = yield* Pool.makeWithTTL({
      acquire: thread({ fonts, pages: limits.pages }),
      min: 0,
      max: threads,
      timeToLive: idle
    })
    if (Duration.isFinite(Duration.decode(warmAfter))) {
      yield* Effect.forkScoped(Effect.delay(Effect.scoped(pool.get), warmAfter))
    }

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
