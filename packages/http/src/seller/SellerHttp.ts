/** The seller interface with its handlers, as a layer for a host. */
import type { Access } from "@crossdock/access"
import type { CatalogWrites, Products, References } from "@crossdock/catalog"
import type { ShipmentDocuments } from "@crossdock/documents"
import type { Inventory } from "@crossdock/inventory"
import type { Ids } from "@crossdock/kernel"
import type { Pricing } from "@crossdock/pricing"
import type { Shipments } from "@crossdock/shipments"
import type * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"
import * as Authentication from "../Authentication.ts"
import type { Reply } from "../Reply.ts"
import * as TokenHandlers from "../TokenHandlers.ts"
import * as CatalogReadsHandlers from "./CatalogReadsHandlers.ts"
import type { DocumentLinks } from "./DocumentLinks.ts"
import * as DocumentsHandlers from "./DocumentsHandlers.ts"
import * as InventoryHandlers from "./InventoryHandlers.ts"
import * as ProductsHandlers from "./ProductsHandlers.ts"
import * as ShipmentsHandlers from "./ShipmentsHandlers.ts"

/** The seller interface without sign-in, for a host that provides `Authentication.SellerAuthentication` itself. */
export const routes = Layer.mergeAll(
  TokenHandlers.seller,
  CatalogReadsHandlers.layer,
  ProductsHandlers.layer,
  InventoryHandlers.priceUpdates,
  InventoryHandlers.stockUpdates,
  InventoryHandlers.listings,
  ShipmentsHandlers.layer,
  DocumentsHandlers.documents,
  DocumentsHandlers.links
)

/** The seller interface with the sign-in of `@crossdock/access`. Needs the services of the seller's domains. */
export const layer: Layer.Layer<
  never,
  never,
  | Access.Access
  | CatalogWrites.CatalogWrites
  | Products.Products
  | References.References
  | Pricing.Pricing
  | Inventory.Inventory
  | Shipments.Shipments
  | ShipmentDocuments.ShipmentDocuments
  | DocumentLinks
  | Ids.Ids
  | Reply
  | HttpRouter.HttpRouter
> = Layer.provide(routes, Authentication.sellerLayer)
