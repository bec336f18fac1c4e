/**
 * The seller interface with its handlers, as a layer for a host.
 */
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import * as Authentication from "../Authentication.ts"
import * as ErrorAnswers from "../internal/ErrorAnswers.ts"
import * as CatalogReadsHandlers from "./CatalogReadsHandlers.ts"
import * as DocumentsHandlers from "./DocumentsHandlers.ts"
import * as ListingsHandlers from "./ListingsHandlers.ts"
import * as PriceHandlers from "./PriceHandlers.ts"
import * as ProductsHandlers from "./ProductsHandlers.ts"
import { SellerApi } from "./SellerApi.ts"
import * as ShipmentsHandlers from "./ShipmentsHandlers.ts"
import * as StockHandlers from "./StockHandlers.ts"
import * as TokenHandlers from "./TokenHandlers.ts"

/**
 * Needs the services of the seller's domains, `Access`, `Reply` and `DocumentLinks`.
 */
export const layer = HttpApiBuilder.layer(SellerApi).pipe(
  Layer.provide([
    TokenHandlers.layer,
    CatalogReadsHandlers.layer,
    ProductsHandlers.layer,
    PriceHandlers.layer,
    StockHandlers.layer,
    ListingsHandlers.layer,
    ShipmentsHandlers.layer,
    DocumentsHandlers.layer,
    DocumentsHandlers.linksLayer
  ]),
  Layer.provide([Authentication.sellerLayer, ErrorAnswers.layer])
)
