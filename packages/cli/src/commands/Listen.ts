/** `crossdock listen`: receives the webhooks of a marketplace on this machine and shows them. */
import { createServer, type IncomingMessage, type Server } from "node:http"
import { ReceiverKit } from "@crossdock/notifications/node"
import { Effect, Result } from "effect"
import { Flag } from "effect/cli"
import * as Answer from "../Answer.ts"
import { CommandFailure } from "../CommandFailure.ts"
import * as CommandLine from "../CommandLine.ts"
import { stopSignal, Terminal } from "../Terminal.ts"
import * as TextFile from "../TextFile.ts"

/** The secret of the sandbox's marketplace, which SANDBOX_WEBHOOK_SECRET may change. */
const sandboxSecret = "whsec_c2FuZGJveC1iYXphYXItd2ViaG9vay1zZWNyZXQ="

/** The body of a request. Undefined if the sender disconnects, or above 8 MiB, which no notification reaches. */
const bodyOf = async (request: IncomingMessage): Promise<string | undefined> => {
  const chunks: Array<Buffer> = []
  let bytes = 0
  try {
    for await (const chunk of request) {
      bytes += chunk.length
      if (bytes > 8 * 2 ** 20) return undefined
      chunks.push(chunk)
    }
  } catch {
    return undefined
  }
  return Buffer.concat(chunks).toString("utf8")
}

/** The state of a receiver. It has the newest sequence of each SKU at each location, and the last number of each channel. */
const memory = () => {
  const [sequences, numbers] = [new Map<string, number>(), new Map<string, number>()]
  const keyOf = ({ location_id, sku }: ReceiverKit.StockEvent) => JSON.stringify([sku, location_id])
  return {
    known: {
      sequenceOf: (event: ReceiverKit.StockEvent) => sequences.get(keyOf(event)),
      numberOf: (channel: string) => numbers.get(channel)
    },
    store: ({ channel, events, number }: ReceiverKit.Received) => {
      for (const event of events) sequences.set(keyOf(event), event.sequence)
      numbers.set(channel, number)
    }
  }
}

const shown = ({ channel, events, missing, number, old }: ReceiverKit.Received): string =>
  [
    `notification ${number} of company ${channel}: ${Answer.counted(events.length, "event")}${old > 0 ? `, ${old} old` : ""}${missing > 0 ? `, ${Answer.counted(missing, "notification is", "notifications are")} missing` : ""}`,
    ...events.map(({ location_id, quantity, sku }) => `  ${sku} at ${location_id}: ${quantity}`)
  ].join("\n")

const receiver = (secret: string, print: (text: string, json: unknown) => void) => {
  const { known, store } = memory()
  return createServer(async (request, response) => {
    const rejected = (status: number, reason: string) => {
      print(`rejected with ${status}: ${reason}`, { rejected: status, reason })
      return response.writeHead(status)
    }
    const body = await bodyOf(request)
    if (body === undefined) {
      response.setHeader("connection", "close")
      return void rejected(413, "the body is too long or broken off").end()
    }
    const incoming = { headers: request.headers, body }
    const received = ReceiverKit.receive(incoming, { secrets: [secret], now: Date.now(), ...known })
    Result.match(received, {
      onFailure: ({ reason, status }) => void rejected(status, reason).end(reason),
      onSuccess: (valid) => {
        store(valid)
        print(shown(valid), valid)
        response.writeHead(204).end()
      }
    })
  })
}

const listening = (server: Server, port: number) =>
  Effect.acquireRelease(
    Effect.callback<number, CommandFailure>((resume) => {
      server.once("error", ({ message }) =>
        resume(new CommandFailure(`Port ${port} can't be used (${message}): choose another --port`))
      )
      server.listen(port, "127.0.0.1", () => {
        const address = server.address()
        resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : port))
      })
    }),
    () => Effect.sync(() => server.close().closeAllConnections())
  )

export const command = CommandLine.define({
  name: "listen",
  does: "Receives a marketplace's webhooks on this machine, verifies their signatures and prints them until it is interrupted. The host must be allowed to send to this machine (WEBHOOK_ALLOW_PRIVATE), as in a sandbox.",
  examples: ["listen", "listen --port 4300 --secret-file webhook.secret"],
  options: {
    port: CommandLine.whole("port", "the port, 0 for a free one (default: 4300)", 0, 65_535).pipe(
      Flag.withDefault(4300)
    ),
    secretFile: CommandLine.optional(
      "secret-file",
      "a file with the webhook's secret (default: SANDBOX_WEBHOOK_SECRET, or else the sandbox's)"
    )
  },
  *run({ port, secretFile }) {
    const { environment, write } = yield* Terminal
    const asJson = yield* CommandLine.Json
    const given = secretFile === null ? environment.SANDBOX_WEBHOOK_SECRET : yield* TextFile.read(secretFile)
    const secret = given?.trim() || sandboxSecret
    const print = (text: string, json: unknown) =>
      void Effect.runFork(write(`${asJson ? Answer.jsonText(json) : Answer.shown(text)}\n`))
    const at = yield* listening(receiver(secret, print), port)
    const url = `http://127.0.0.1:${at}`
    const hint = `Start the host with SANDBOX_WEBHOOK_URL=${url}, or register a marketplace with "webhook": { "url": "${url}", "secret": … }`
    print(`listening on ${url}\n${hint}`, { listening: url })
    yield* stopSignal
    return undefined
  }
})
