/** Adapter: draws documents on threads that can be terminated. Source: docs/reference/documents.md#limits. */
import { readFile } from "node:fs/promises"
import { availableParallelism } from "node:os"
import { Worker } from "node:worker_threads"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Pool from "effect/Pool"
import {
  type DocumentFailure,
  DocumentRenderer,
  DocumentsBusy,
  DocumentTooLarge,
  DocumentTooSlow,
  type PrintSize,
  type RenderingLimits,
  renderingLimits
} from "../DocumentRenderer.ts"
import type { PrintedInvoice } from "../PrintedInvoice.ts"
import type { FontFile } from "../pdf/FontSet.ts"
import type { ShippingLabel } from "../ShippingLabel.ts"

export type Task =
  | { readonly kind: "labels"; readonly documents: ReadonlyArray<ShippingLabel>; readonly size: PrintSize }
  | { readonly kind: "invoices"; readonly documents: ReadonlyArray<PrintedInvoice>; readonly size: PrintSize }

/** A thread's settings. */
export interface ThreadSettings {
  readonly fonts: ReadonlyArray<FontFile>
  readonly pages: number
}

/** A thread's first message: its fonts are read. */
export interface Ready {
  readonly _tag: "Ready"
}

/** A task's outcome. */
export type Done =
  | { readonly _tag: "Drawn"; readonly bytes: Uint8Array }
  | { readonly _tag: "TooLarge" }
  | { readonly _tag: "Defect"; readonly cause: string }

export interface Settings {
  /** Fonts for other scripts, such as Chinese, used after this package's. */
  readonly moreFonts: ReadonlyArray<FontFile>
  readonly limits: RenderingLimits
  /** The most threads. They start on demand and end after 10 idle minutes. */
  readonly threads: number
  /** How many drawings may queue, and how long; beyond that they fail with `DocumentsBusy`. */
  readonly queue: { readonly most: number; readonly longest: Duration.Input }
  /** When to start the first thread in advance, to speed up the first drawing. Never by default. */
  readonly warmAfter: Duration.Input
}

const idle = "10 minutes"

/** The built script, also when run from source as in tests: one file, which loads in half the time. */
const script = new URL(
  import.meta.url.endsWith(".ts") ? "../../dist/node/DocumentThread.bundle.js" : "./DocumentThread.bundle.js",
  import.meta.url
)

interface DrawingThread {
  readonly worker: Worker
  readonly ready: Deferred.Deferred<void>
}

/** A thread that starts to read its fonts. The pool doesn't wait, so that a host can stop meanwhile. */
const thread = (settings: ThreadSettings) =>
  Effect.acquireRelease(
    Effect.sync((): DrawingThread => {
      const worker = new Worker(script, { workerData: settings })
      const ready = Deferred.makeUnsafe<void>()
      worker.once("message", () => Deferred.doneUnsafe(ready, Effect.void))
      worker.once("exit", () => Deferred.doneUnsafe(ready, Effect.void))
      // An idle thread must neither keep the process alive nor end it. Its error goes to the next caller.
      worker.on("error", (error) => Deferred.doneUnsafe(ready, Effect.die(error))).unref()
      return { worker, ready }
    }),
    ({ worker }) => Effect.promise(() => worker.terminate())
  )

/** A thread's answer; a defect if it ends or fails instead. */
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

/** A `DocumentRenderer` on its own threads. Fails with `DocumentsBusy` if too many drawings are queued. */
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

    let admitted = 0
    const enter = Effect.suspend(() => {
      if (admitted >= threads + queue.most) return Effect.fail(new DocumentsBusy())
      admitted++
      return Effect.void
    })
    const leave = Effect.sync(() => {
      admitted--
    })

    /** A thread with its fonts read. A failed one is removed from the pool. */
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
          // Its late answer is ignored.
          Effect.onError(() => Pool.invalidate(pool, thread))
        )
        switch (done._tag) {
          case "Drawn":
            return done.bytes
          case "TooLarge":
            return yield* new DocumentTooLarge({ limit: limits.pages })
          case "Defect":
            return yield* Effect.die(new Error(done.cause))
        }
      }).pipe(Effect.scoped)

    const draw = (task: Task) =>
      Effect.acquireUseRelease(
        enter,
        () => drawn(task),
        () => leave
      )

    return DocumentRenderer.of({
      labels: (documents, size) => draw({ kind: "labels", documents, size }),
      invoices: (documents, size) => draw({ kind: "invoices", documents, size })
    })
  })

/** A `DocumentRenderer` on its own threads, with this package's fonts. */
export const layer = (settings?: Partial<Settings>): Layer.Layer<DocumentRenderer> =>
  Layer.effect(DocumentRenderer, make(settings))

const names = [
  "NotoSans-Regular",
  "NotoSans-Bold",
  "NotoSansDevanagari-Regular",
  "NotoSansDevanagari-Bold",
  "NotoSansBengali-Regular",
  "NotoSansGujarati-Regular",
  "NotoSansGurmukhi-Regular",
  "NotoSansKannada-Regular",
  "NotoSansMalayalam-Regular",
  "NotoSansOriya-Regular",
  "NotoSansTamil-Regular",
  "NotoSansTelugu-Regular",
  "NotoSansArabic-Regular",
  "NotoSansHebrew-Regular",
  "NotoSansThai-Regular"
]

const folder = new URL("../../fonts/", import.meta.url)

/** Reads this package's fonts. */
export const bundledFonts: Effect.Effect<ReadonlyArray<FontFile>> = Effect.forEach(
  names,
  (name) =>
    Effect.map(
      Effect.promise(() => readFile(new URL(`${name}.ttf`, folder))),
      (bytes) => ({ bytes: new Uint8Array(bytes), bold: name.endsWith("Bold") })
    ),
  { concurrency: "unbounded" }
)
