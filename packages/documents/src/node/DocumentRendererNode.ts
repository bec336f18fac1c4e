/** Adapter: draws documents in threads that can be terminated. Source: docs/reference/documents.md#limits. */
import { readFile } from "node:fs/promises"
import { availableParallelism } from "node:os"
import { Worker } from "node:worker_threads"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Pool from "effect/Pool"
import * as Semaphore from "effect/Semaphore"
import type { DocumentFailure, PrintSize, RenderingLimits } from "../DocumentRenderer.ts"
import {
  DocumentRenderer,
  DocumentsBusy,
  DocumentTooLarge,
  DocumentTooSlow,
  renderingLimits
} from "../DocumentRenderer.ts"
import type { PrintedInvoice } from "../PrintedInvoice.ts"
import type { FontFile } from "../pdf/FontSet.ts"
import type { ShippingLabel } from "../ShippingLabel.ts"

export type Task =
  | { readonly kind: "labels"; readonly documents: ReadonlyArray<ShippingLabel>; readonly size: PrintSize }
  | { readonly kind: "invoices"; readonly documents: ReadonlyArray<PrintedInvoice>; readonly size: PrintSize }

/** The fonts of a thread, and the most pages that a file of the thread may have. */
export interface ThreadSettings {
  readonly fonts: ReadonlyArray<FontFile>
  readonly pages: number
}

/** The first message of a thread. It means that the thread has read its fonts. */
export interface Ready {
  readonly _tag: "Ready"
}

/** The outcome of a task. */
export type Done =
  | { readonly _tag: "Drawn"; readonly bytes: Uint8Array }
  | { readonly _tag: "TooLarge" }
  | { readonly _tag: "Defect"; readonly cause: string }

export interface Settings {
  /** Fonts for other scripts, such as Chinese. They are used for characters that the package's own fonts don't have. */
  readonly moreFonts: ReadonlyArray<FontFile>
  readonly limits: RenderingLimits
  /** The maximum number of threads. A thread starts when it is needed, and ends after 10 idle minutes. */
  readonly threads: number
  /** How many drawings may wait in the queue, and for how long. Drawings beyond these limits fail with `DocumentsBusy`. */
  readonly queue: { readonly most: number; readonly longest: Duration.Input }
  /** The delay after which one thread starts before the first task needs it. By default, no thread starts early. */
  readonly warmAfter: Duration.Input
}

const idle = "10 minutes"

/** The script of a thread, as built. It is used even if this file runs from source, as in tests. */
const script = new URL(
  import.meta.url.endsWith(".ts") ? "../../dist/node/DocumentThread.bundle.js" : "./DocumentThread.bundle.js",
  import.meta.url
)

interface DrawingThread {
  readonly worker: Worker
  readonly ready: Deferred.Deferred<void>
}

/** Starts a thread, which reads its fonts. The pool doesn't wait for the fonts, so that a host can stop meanwhile. */
const thread = (settings: ThreadSettings) =>
  Effect.acquireRelease(
    Effect.sync((): DrawingThread => {
      const worker = new Worker(script, { workerData: settings })
      const ready = Deferred.makeUnsafe<void>()
      worker.once("message", () => Deferred.doneUnsafe(ready, Effect.void))
      worker.once("exit", () => Deferred.doneUnsafe(ready, Effect.void))
      // An idle thread must neither keep the process running nor end it. The next caller gets the error.
      worker.on("error", (error) => Deferred.doneUnsafe(ready, Effect.die(error))).unref()
      return { worker, ready }
    }),
    ({ worker }) => Effect.promise(() => worker.terminate())
  )

/** Sends a task to a thread and returns the answer. The effect dies if the thread ends or fails before the answer. */
const ask = (worker: Worker, task: Task): Effect.Effect<Done> =>
  Effect.callback((resume) => {
    const settle = (outcome: Effect.Effect<Done>) => {
      worker.off("message", answered).off("error", failed).off("exit", ended)
      resume(outcome)
    }
    const answered = (said: Done) => settle(Effect.succeed(said))
    const failed = (error: Error) => settle(Effect.die(error))
    const ended = () => settle(Effect.die(new Error("A drawing thread ended unexpectedly")))
    worker.on("message", answered).on("error", failed).on("exit", ended)
    if (worker.threadId === -1) ended()
    else worker.postMessage(task)
    return Effect.sync(() => worker.off("message", answered).off("error", failed).off("exit", ended))
  })

/** Makes a `DocumentRenderer` with its own threads. It fails with `DocumentsBusy` if too many drawings are queued. */
export const make = ({
  limits = renderingLimits,
  moreFonts = [],
  queue = { most: 100, longest: "20 seconds" },
  threads = Math.min(2, availableParallelism()),
  warmAfter = Number.POSITIVE_INFINITY
}: Partial<Settings> = {}) =>
  Effect.gen(function* () {
    const fonts = [...(yield* bundledFonts), ...moreFonts]
    const pool = yield* Pool.makeWithTTL({
      acquire: thread({ fonts, pages: limits.pages }),
      min: 0,
      max: threads,
      timeToLive: idle
    })
    if (Duration.isFinite(Duration.fromInputUnsafe(warmAfter)))
      yield* Effect.forkScoped(Effect.delay(Effect.scoped(Pool.get(pool)), warmAfter))

    const admission = yield* Semaphore.make(threads + queue.most)

    /** Returns a free thread that has read its fonts. A thread that can't read its fonts is removed from the pool. */
    const free = Effect.gen(function* () {
      const thread = yield* Pool.get(pool)
      yield* Effect.tapDefect(Deferred.await(thread.ready), () => Pool.invalidate(pool, thread))
      return thread
    }).pipe(Effect.timeoutOrElse({ duration: queue.longest, orElse: () => Effect.fail(new DocumentsBusy()) }))

    const drawn = (task: Task): Effect.Effect<Uint8Array, DocumentFailure> =>
      Effect.gen(function* () {
        const thread = yield* free
        const done = yield* Effect.timeoutOrElse(ask(thread.worker, task), {
          duration: limits.time,
          orElse: () => Effect.fail(new DocumentTooSlow({ seconds: Duration.toSeconds(limits.time) }))
        }).pipe(
          // The thread is replaced, so that its late answer is ignored.
          Effect.onError(() => Pool.invalidate(pool, thread))
        )
        if (done._tag === "TooLarge") return yield* new DocumentTooLarge({ limit: limits.pages })
        return done._tag === "Drawn" ? done.bytes : yield* Effect.die(new Error(done.cause))
      }).pipe(Effect.scoped)

    const draw = (task: Task) =>
      Effect.flatMap(admission.withPermitsIfAvailable(1)(drawn(task)), (bytes) =>
        Option.isSome(bytes) ? Effect.succeed(bytes.value) : Effect.fail(new DocumentsBusy())
      )

    return DocumentRenderer.of({
      labels: (documents, size) => draw({ kind: "labels", documents, size }),
      invoices: (documents, size) => draw({ kind: "invoices", documents, size })
    })
  })

/** The service `DocumentRenderer`, with its own threads and this package's fonts. */
export const layer = (settings?: Partial<Settings>): Layer.Layer<DocumentRenderer> =>
  Layer.effect(DocumentRenderer, make(settings))

const scripts = "Bengali Gujarati Gurmukhi Kannada Malayalam Oriya Tamil Telugu Arabic Hebrew Thai".split(" ")

const names = [
  ...["", "Devanagari"].flatMap((script) => [`NotoSans${script}-Regular`, `NotoSans${script}-Bold`]),
  ...scripts.map((script) => `NotoSans${script}-Regular`)
]

const folder = new URL("../../fonts/", import.meta.url)

/** Reads the fonts of this package. */
export const bundledFonts: Effect.Effect<ReadonlyArray<FontFile>> = Effect.forEach(
  names,
  (name) =>
    Effect.map(
      Effect.promise(() => readFile(new URL(`${name}.ttf`, folder))),
      (bytes) => ({ bytes: new Uint8Array(bytes), bold: name.endsWith("Bold") })
    ),
  { concurrency: "unbounded" }
)
