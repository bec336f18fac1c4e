import { portLaws, Seed } from "@crossdock/storage-laws"
import { Layer } from "effect"
import { sqliteFile } from "./Databases.ts"
import * as OwnStock from "./OwnStock.ts"

const host = Seed.layer.pipe(Layer.provideMerge(OwnStock.everyPort), Layer.provide(sqliteFile))

portLaws("StockLevels", host)
portLaws("PriceStore", host)
portLaws("Listings", host)
portLaws("SkuStock", host)
