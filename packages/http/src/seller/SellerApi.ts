/** The seller interface. Source: docs/reference/seller.md. */
import * as HttpApi from "effect/http-api/HttpApi"
import { ErrorAnswers } from "../Failure.ts"
import * as OpenApiDocument from "../internal/OpenApiDocument.ts"
import { SellerTokenGroup } from "../TokenApi.ts"
import { CatalogReadsGroup } from "./CatalogReadsApi.ts"
import { ListingsGroup, PriceGroup, StockGroup } from "./InventoryApi.ts"
import { ProductsGroup } from "./ProductsApi.ts"
import { DocumentLinksGroup, DocumentsGroup, ShipmentsGroup } from "./ShipmentsApi.ts"
import texts from "./texts.json" with { type: "json" }

export class SellerApi extends HttpApi.make("seller")
  .add(
    SellerTokenGroup,
    CatalogReadsGroup,
    ProductsGroup,
    PriceGroup,
    StockGroup,
    ListingsGroup,
    ShipmentsGroup,
    DocumentsGroup,
    DocumentLinksGroup
  )
  .middleware(ErrorAnswers)
  .annotateMerge(OpenApiDocument.annotations("Seller interface", "1.0.0", texts)) {}
