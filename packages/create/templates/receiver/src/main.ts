import { emptyStock, make } from "./Receiver.ts"

const { PORT = "4300", WEBHOOK_SECRET = "" } = process.env
make(emptyStock(), WEBHOOK_SECRET.split(" "), console.log).listen(Number(PORT), "127.0.0.1", () =>
  console.log(`Receives stock notifications at http://127.0.0.1:${PORT}`)
)
