import { monitorEventLoopDelay } from "node:perf_hooks"
import { DocumentRenderer } from "@crossdock/documents"
import { describe, it, layer } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Cause, Duration, Effect, Exit, Fiber, Option, Scope } from "effect"
import { processorMillis } from "../../kernel/test/processorMillis.ts"
import { DocumentRendererNode } from "../src/node/index.ts"
import { DocumentRendererPdf, FontSet } from "../src/pdf/index.ts"
import { texts } from "./PdfReading.ts"
import { invoice, label, line } from "./Samples.ts"

const twenty = Array.from({ length: 20 }, (_, nth) => label({ awbNumbers: [`AWB-${nth}`] }))
const large = Array.from({ length: 8 }, () => invoice({ lines: Array.from({ length: 400 }, () => line()) }))

const using = <A, E>(
  settings: Partial<DocumentRendererNode.Settings>,
  work: (renderer: typeof DocumentRenderer.Service) => Effect.Effect<A, E>
) => Effect.flatMap(DocumentRenderer, work).pipe(Effect.provide(DocumentRendererNode.layer(settings)))

const rejection = (renderer: typeof DocumentRenderer.Service) =>
  Effect.match(renderer.labels([label()], "a6"), { onFailure: ({ _tag }) => _tag, onSuccess: () => "Drawn" })

/** A thread that is busy for a while, with its first drawing asked for. */
const busy = (renderer: typeof DocumentRenderer.Service) =>
  Effect.tap(Effect.forkChild(renderer.invoices(large, "a4")), () => Effect.sleep("50 millis"))

/** One thread for the tests that need no other settings: each thread loads its fonts for a second. */
const oneThread = DocumentRendererNode.layer({
  threads: 1,
  queue: { most: 2, longest: "1 minute" },
  limits: { pages: 5000, time: "1 minute" }
})

layer(oneThread, { excludeTestServices: true })("documents on a thread", (it) => {
  it.effect("one thread draws many documents one after the other, and keeps nothing of them", () =>
    Effect.gen(function* () {
      const renderer = yield* DocumentRenderer
      const warnings: Array<Error> = []
      const warned = (warning: Error) => warnings.push(warning)
      process.on("warning", warned)
      for (let nth = 0; nth < 15; nth++) yield* renderer.labels([label()], "a6")
      yield* Effect.yieldNow
      process.off("warning", warned)
      deepStrictEqual(warnings, [])
    })
  )

  it.effect("have the same bytes as those drawn in the calling thread", () =>
    Effect.gen(function* () {
      const renderer = yield* DocumentRenderer
      const fonts = FontSet.make(yield* DocumentRendererNode.bundledFonts)
      const [here, there] = [
        yield* DocumentRendererPdf.labels(fonts, twenty, "a6"),
        yield* renderer.labels(twenty, "a6")
      ]
      assertTrue(Buffer.from(here).equals(there))
      const [sheet, other] = [
        yield* DocumentRendererPdf.invoices(fonts, [invoice()], "a4"),
        yield* renderer.invoices([invoice()], "a4")
      ]
      assertTrue(Buffer.from(sheet).equals(other))
    })
  )

  it.effect("do not block the host: a large document, and the longest delay of the event loop meanwhile", () =>
    Effect.gen(function* () {
      const renderer = yield* DocumentRenderer
      yield* renderer.invoices([invoice()], "a4")
      const delay = monitorEventLoopDelay({ resolution: 5 })
      delay.enable()
      const started = performance.now()
      yield* renderer.invoices(large, "a4")
      const millis = performance.now() - started
      delay.disable()
      assertTrue(millis > 300, `drawn in ${millis} ms: too small to show anything`)
      assertTrue(delay.max / 1e6 < millis / 2, `waited ${delay.max / 1e6} of ${millis} ms`)
    })
  )

  it.effect("20 labels take less than a second, from the second time on", () =>
    Effect.gen(function* () {
      const renderer = yield* DocumentRenderer
      yield* renderer.labels(twenty, "a6")
      const started = processorMillis()
      const bytes = yield* renderer.labels(twenty, "a6")
      const millis = processorMillis() - started
      assertTrue(millis < 1000, `${millis} ms`)
      strictEqual((yield* Effect.promise(() => texts(bytes))).length, 20)
    })
  )

  it.effect("when the queue is full the next drawing fails at once, and the queued ones are drawn", () =>
    Effect.gen(function* () {
      const renderer = yield* DocumentRenderer
      yield* renderer.labels([label()], "a6")
      const first = yield* busy(renderer)
      const waiting = yield* Effect.forEach([1, 2], () => Effect.forkChild(renderer.labels([label()], "a6")))
      yield* Effect.yieldNow
      const rejected = yield* rejection(renderer)
      strictEqual(rejected, "DocumentsBusy")
      strictEqual(first.pollUnsafe(), undefined)
      for (const fiber of [first, ...waiting]) assertTrue((yield* Fiber.join(fiber)).length > 0)
      assertTrue((yield* renderer.labels([label()], "a6")).length > 0)
    })
  )

  it.effect("a caller that gives up leaves the queue to the next one", () =>
    Effect.gen(function* () {
      const renderer = yield* DocumentRenderer
      yield* renderer.labels([label()], "a6")
      const first = yield* busy(renderer)
      for (let nth = 0; nth < 5; nth++) {
        const abandoned = yield* Effect.forkChild(renderer.labels([label()], "a6"))
        yield* Effect.yieldNow
        yield* Fiber.interrupt(abandoned)
      }
      const [bytes] = [yield* renderer.labels([label()], "a6")]
      assertTrue(bytes.length > 0 && (yield* Fiber.join(first)).length > 0)
    })
  )
})

describe("documents on threads", () => {
  it.live("end at once with their host, even while the first thread starts", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const started = new Promise((resolve) => process.once("worker", resolve))
      yield* Scope.provide(DocumentRendererNode.make({ warmAfter: 0 }), scope)
      yield* Effect.promise(() => started)
      const closed = yield* Effect.timeoutOption(
        Fiber.join(yield* Effect.forkDetach(Scope.close(scope, Exit.void))),
        "5 seconds"
      )
      assertTrue(Option.isSome(closed))
    })
  )

  it.live("many at once are all drawn, each for its own caller", () =>
    using({ threads: 2, queue: { most: 20, longest: "1 minute" } }, (renderer) =>
      Effect.gen(function* () {
        const made = yield* Effect.forEach(
          Array.from({ length: 12 }, (_, nth) => nth),
          (nth) => renderer.labels([label({ awbNumbers: [`N${nth}`] })], "a6"),
          { concurrency: "unbounded" }
        )
        const pages = yield* Effect.forEach(made, (bytes) => Effect.promise(() => texts(bytes)))
        deepStrictEqual(
          pages.map(([page = ""]) => /\bN\d+\b/.exec(page)?.[0]),
          made.map((_, nth) => `N${nth}`)
        )
      })
    )
  )

  it.live("a drawing that takes too long ends, and the next one is still drawn", () =>
    using({ threads: 1, limits: { pages: 5000, time: "2 seconds" } }, (renderer) =>
      Effect.gen(function* () {
        const huge = Array.from({ length: 20 }, () => large).flat()
        const failed = yield* Effect.flip(renderer.invoices(huge, "a4"))
        deepStrictEqual([failed._tag, failed.message.includes("within 2 seconds")], ["DocumentTooSlow", true])
        const next = yield* renderer.labels([label()], "a6")
        strictEqual((yield* Effect.promise(() => texts(next))).length, 1)
      })
    )
  )

  it.live("a thread that cannot read its fonts is a defect that says so, and the next drawing gets another", () =>
    using({ threads: 1, moreFonts: [{ bytes: new Uint8Array(1000), bold: false }] }, (renderer) =>
      Effect.gen(function* () {
        let started = 0
        const count = () => started++
        process.on("worker", count)
        for (const nth of [1, 2]) {
          const died = yield* renderer
            .labels([label()], "a6")
            .pipe(Effect.sandbox, Effect.timeout("20 seconds"), Effect.flip)
          assertTrue(Cause.isCause(died) && Cause.hasDies(died), String(died))
          // The pool replaces it at once, before the next drawing asks.
          strictEqual(started, nth + 1)
        }
        process.off("worker", count)
      })
    )
  )

  it.live("more pages than the limit are rejected", () =>
    using({ limits: { pages: 10, time: "1 minute" } }, (renderer) =>
      Effect.map(Effect.flip(renderer.labels(twenty, "a6")), (failed) => strictEqual(failed._tag, "DocumentTooLarge"))
    )
  )

  it.live("fonts of the host draw the characters that ours do not have", () =>
    Effect.gen(function* () {
      const own = yield* DocumentRendererNode.bundledFonts
      const [latin, bold] = own
      assertTrue(latin !== undefined && bold !== undefined)
      const tamil = own.filter((_, nth) => nth === 10)
      const before = FontSet.make([latin, bold]).word("தமிழ்", false)
      const after = FontSet.make([latin, bold, ...tamil]).word("தமிழ்", false)
      const drawn = ({ runs }: FontSet.Word) => runs.flatMap(({ glyphs }) => glyphs.map(({ id }) => id !== 0))
      assertTrue(drawn(before).every((one) => !one))
      assertTrue(drawn(after).every((one) => one))
    })
  )

  it.live("a drawing that is queued too long fails and is not drawn", () =>
    using(
      { threads: 1, queue: { most: 5, longest: "300 millis" }, limits: { pages: 5000, time: "1 minute" } },
      (renderer) =>
        Effect.gen(function* () {
          // The thread starts in its own time, even without a caller.
          yield* Effect.retry(renderer.labels([label()], "a6"), { while: () => true })
          const first = yield* busy(renderer)
          const [waited, rejected] = yield* Effect.timed(rejection(renderer))
          strictEqual(rejected, "DocumentsBusy")
          assertTrue(Duration.toMillis(waited) >= 290, Duration.format(waited))
          strictEqual(first.pollUnsafe(), undefined)
          assertTrue((yield* Fiber.join(first)).length > 0)
        })
    )
  )

  it.live("a caller that gives up while a thread starts leaves it to the next one", () =>
    using({ threads: 1 }, (renderer) =>
      Effect.gen(function* () {
        let started = 0
        const count = () => started++
        process.on("worker", count)
        for (let nth = 0; nth < 3; nth++) yield* Effect.timeoutOption(renderer.labels([label()], "a6"), "5 millis")
        yield* renderer.labels([label()], "a6")
        process.off("worker", count)
        strictEqual(started, 1)
      })
    )
  )
})
