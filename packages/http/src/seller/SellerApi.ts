/**
 * The seller interface. Source: docs/reference/seller.md.
 */
import * as HttpApi from "effect/http-api/HttpApi"
import { ErrorAnswers } from "../Failure.ts"
import * as OpenApiDocument from "../internal/OpenApiDocument.ts"
import { CatalogReadsGroup } from "./CatalogReadsApi.ts"
import { DocumentLinksGroup, DocumentsGroup } from "./DocumentsApi.ts"
import { ListingsGroup } from "./ListingsApi.ts"
import { PriceGroup } from "./PriceApi.ts"
import { ProductsGroup } from "./ProductsApi.ts"
import { ShipmentsGroup } from "./ShipmentsApi.ts"
import { StockGroup } from "./StockApi.ts"
import { TokenGroup } from "./TokenApi.ts"

export class SellerApi extends HttpApi.make("seller")
  .add(TokenGroup)
  .add(CatalogReadsGroup)
  .add(ProductsGroup)
  .add(PriceGroup)
  .add(StockGroup)
  .add(ListingsGroup)
  .add(ShipmentsGroup)
  .add(DocumentsGroup)
  .add(DocumentLinksGroup)
  .middleware(ErrorAnswers)
  .annotateMerge(
    OpenApiDocument.annotations(
      "Seller interface",
      "1.0.0",
      "What a seller's systems (OMS, WMS, ERP, POS) call: catalog, prices, stock, shipments and returns. Every operation except signing in and signed links needs the header x-access-token."
    )
  ) {}
