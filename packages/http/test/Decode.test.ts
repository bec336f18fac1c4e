import {
  AwbItem,
  AwbRecord,
  CancelRecord,
  Grant,
  InvoiceRecord,
  LogBody,
  LogsQuery,
  OneTimeBody,
  OrderBody,
  PriceRecord,
  ReturnRecord,
  StatusItem,
  StockRecord,
  SubscriptionBody
} from "@crossdock/http/contracts"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Result, Schema } from "effect"
import { SchemaJITCompiler } from "effect/schema"
import * as Decode from "../src/internal/Decode.ts"
import * as Fields from "../src/internal/Fields.ts"

const address = { name: "A", phone: "1", address1: "x", city: "c", state: "s", pincode: "1", country: "IN" }
const shipment = { external_shipment_id: "s", location_id: "BLR1", lines: [{ sku: "a", quantity: 1, esp: 5 }] }
const order = {
  external_order_id: "1",
  ordering_currency: "INR",
  payment: { mode: "COD" },
  billing_address: address,
  shipping_address: address,
  shipments: [shipment]
}
const line = { name: "n", term: "t", pricing_type: "recurring", price: { amount: 1, currency_code: "INR" } }

/**
 * Inputs and the violations that each must give, one line per place: path, code and message; a valid input gives none.
 * Callers read these messages: a change here changes what they see.
 */
type Case = readonly [input: unknown, said: ReadonlyArray<string>]

const table: ReadonlyArray<readonly [what: string, schema: Schema.Codec<unknown>, cases: ReadonlyArray<Case>]> = [
  [
    "a field under another name",
    StockRecord,
    [
      [
        { location: "BLR1", sku: "A", qty: 1 },
        [
          "/location_id REQUIRED is required; rename your location to location_id",
          "/quantity REQUIRED is required; rename your qty to quantity"
        ]
      ],
      [
        { locationId: "BLR1", sku: "A", quantity: 1 },
        ["/location_id REQUIRED is required; rename your locationId to location_id"]
      ],
      [{ place: "BLR1", sku: "A", quantity: 1 }, ["/location_id REQUIRED is required"]]
    ]
  ],
  [
    "each kind",
    Schema.Struct({
      text: Schema.String,
      number: Schema.Number,
      flag: Schema.Boolean,
      list: Schema.Array(Schema.String),
      object: Schema.Struct({ a: Schema.String }),
      record: Schema.Record(Schema.String, Schema.String)
    }),
    [
      [
        {},
        [
          "/text REQUIRED is required",
          "/number REQUIRED is required",
          "/flag REQUIRED is required: true or false",
          "/list REQUIRED is required",
          "/object REQUIRED is required: { a }",
          "/record REQUIRED is required"
        ]
      ],
      [
        { text: 1, number: "1", flag: "true", list: "a", object: "a", record: "a" },
        [
          "/text INVALID_TYPE must be text, in quotes",
          "/number INVALID_TYPE must be a number",
          "/flag INVALID_TYPE must be true or false",
          "/list INVALID_TYPE must be an array",
          "/object INVALID_TYPE must be an object",
          "/record INVALID_TYPE must be an object"
        ]
      ],
      [
        { text: null, number: null, flag: null, list: null, object: null, record: null },
        [
          "/text INVALID_TYPE must be text, in quotes",
          "/number INVALID_TYPE must be a number",
          "/flag INVALID_TYPE must be true or false",
          "/list INVALID_TYPE must be an array",
          "/object INVALID_TYPE must be an object",
          "/record INVALID_TYPE must be an object"
        ]
      ],
      [
        { text: [], number: [], flag: [], list: {}, object: [], record: [] },
        [
          "/text INVALID_TYPE must be text, in quotes",
          "/number INVALID_TYPE must be a number",
          "/flag INVALID_TYPE must be true or false",
          "/list INVALID_TYPE must be an array",
          "/object INVALID_TYPE must be an object",
          "/record INVALID_TYPE must be an object"
        ]
      ],
      [
        { text: "", number: 1, flag: true, list: [1, "a", null], object: { a: 1 }, record: { b: 1, c: "x", d: 2 } },
        [
          "/list/0 INVALID_TYPE must be text, in quotes",
          "/list/2 INVALID_TYPE must be text, in quotes",
          "/object/a INVALID_TYPE must be text, in quotes",
          "/record/b INVALID_TYPE must be text, in quotes",
          "/record/d INVALID_TYPE must be text, in quotes"
        ]
      ],
      ["text", [" INVALID_TYPE must be an object"]],
      [null, [" INVALID_TYPE must be an object"]],
      [[], [" INVALID_TYPE must be an object"]],
      [1, [" INVALID_TYPE must be an object"]]
    ]
  ],
  [
    "a number or null",
    Schema.Struct({ a: Schema.NullOr(Schema.Number) }),
    [
      [{}, ["/a REQUIRED is required"]],
      [{ a: "1" }, ["/a INVALID_TYPE must be a number"]],
      [{ a: null }, []],
      [{ a: [] }, ["/a INVALID_TYPE must be a number"]]
    ]
  ],
  [
    "a whole number or null",
    Schema.Struct({ a: Schema.NullOr(Fields.integer(0, 9)) }),
    [
      [{ a: "1" }, ["/a INVALID_TYPE must be a whole number"]],
      [{ a: 1.5 }, ["/a INVALID_VALUE must be a whole number of at most 15 digits; this is 1.5"]],
      [{ a: 10 }, ["/a OUT_OF_RANGE must be from 0 to 9; this is 10"]],
      [{ a: true }, ["/a INVALID_TYPE must be a whole number"]]
    ]
  ],
  [
    "a list or null",
    Schema.Struct({ a: Schema.NullOr(Schema.Array(Schema.String)) }),
    [
      [{ a: "x" }, ["/a INVALID_TYPE must be an array"]],
      [{ a: [1] }, ["/a/0 INVALID_TYPE must be text, in quotes"]],
      [{ a: {} }, ["/a INVALID_TYPE must be an array"]]
    ]
  ],
  [
    "an object or null",
    Schema.Struct({ a: Schema.NullOr(Schema.Struct({ b: Schema.String })) }),
    [
      [{ a: "x" }, ["/a INVALID_TYPE must be an object"]],
      [{ a: {} }, ["/a/b REQUIRED is required"]],
      [{ a: { b: 1 } }, ["/a/b INVALID_TYPE must be text, in quotes"]],
      [{ a: [] }, ["/a INVALID_TYPE must be an object"]]
    ]
  ],
  [
    "a union",
    Schema.Struct({ a: Schema.Union([Schema.String, Schema.Number]) }),
    [
      [{}, ["/a REQUIRED is required"]],
      [{ a: true }, ["/a INVALID_TYPE must be text, in quotes"]],
      [{ a: null }, ["/a INVALID_TYPE must be text, in quotes"]]
    ]
  ],
  [
    "words without a message",
    Schema.Struct({ a: Schema.Literals(["x", "y"]) }),
    [
      [{ a: "z" }, ["/a INVALID_TYPE must be an object"]],
      [{ a: 1 }, ["/a INVALID_TYPE must be an object"]],
      [{}, ["/a REQUIRED is required"]]
    ]
  ],
  [
    "Fields.optional",
    Schema.Struct({ a: Fields.optional(Fields.text(3)) }),
    [
      [{}, []],
      [{ a: null }, []],
      [{ a: 1 }, ["/a INVALID_TYPE must be text, in quotes"]],
      [{ a: "long" }, ["/a TOO_LONG must have at most 3 characters; this has 4"]]
    ]
  ],
  [
    "lists in lists",
    Schema.Struct({
      list: Schema.Array(
        Schema.Struct({ inner: Schema.Array(Schema.Struct({ name: Fields.name, quantity: Fields.integer(1, 9) })) })
      )
    }),
    [
      [
        {
          list: [
            {
              inner: [
                { name: "a", quantity: 1 },
                { name: "", quantity: 10 }
              ]
            },
            {},
            { inner: [1, { quantity: "2" }] }
          ]
        },
        [
          "/list/0/inner/1/name REQUIRED must not be empty",
          "/list/0/inner/1/quantity OUT_OF_RANGE must be from 1 to 9; this is 10",
          "/list/1/inner REQUIRED is required: [{ name, quantity }]",
          "/list/2/inner/0 INVALID_TYPE must be an object",
          "/list/2/inner/1/name REQUIRED is required",
          "/list/2/inner/1/quantity INVALID_TYPE must be a whole number"
        ]
      ],
      [{ list: {} }, ["/list INVALID_TYPE must be an array"]]
    ]
  ],
  [
    "a key that a pointer escapes",
    Schema.Struct({ "a/b~c": Schema.String }),
    [[{}, ["/a~1b~0c REQUIRED is required"]]]
  ],
  [
    "Fields.name",
    Fields.name,
    [
      ["", [" REQUIRED must not be empty"]],
      [1, [" INVALID_TYPE must be text, in quotes"]],
      [null, [" INVALID_TYPE must be text, in quotes"]],
      ["a\u0000", [" INVALID_TEXT has the control character U+0000 at position 2; remove it"]],
      ["\ud800", [" INVALID_TEXT has half of a surrogate pair, U+D800, at position 1; remove it"]],
      ["a\tb\n", []],
      ["x".repeat(2001), [" TOO_LONG must have at most 2000 characters; this has 2001"]]
    ]
  ],
  [
    "Fields.text",
    Fields.text(5),
    [
      ["abcdef", [" TOO_LONG must have at most 5 characters; this has 6"]],
      ["😀😀😀😀😀", []],
      ["😀😀😀😀😀😀", [" TOO_LONG must have at most 5 characters; this has 6"]],
      ["a\u007f", [" INVALID_TEXT has the control character U+007F at position 2; remove it"]],
      ["a\u0000bcdefg", [" TOO_LONG must have at most 5 characters; this has 8"]],
      [{}, [" INVALID_TYPE must be text, in quotes"]]
    ]
  ],
  [
    "Fields.integer",
    Fields.integer(-3, 9),
    [
      ["1", [" INVALID_TYPE must be a whole number"]],
      [1.5, [" INVALID_VALUE must be a whole number of at most 15 digits; this is 1.5"]],
      [10, [" OUT_OF_RANGE must be from -3 to 9; this is 10"]],
      [-4, [" OUT_OF_RANGE must be from -3 to 9; this is -4"]],
      [9007199254740992, [" INVALID_VALUE must be a whole number of at most 15 digits"]],
      [Number.POSITIVE_INFINITY, [" INVALID_VALUE must be a whole number of at most 15 digits"]],
      [null, [" INVALID_TYPE must be a whole number"]]
    ]
  ],
  [
    "Fields.amount",
    Fields.amount,
    [
      ["1", [" INVALID_TYPE must be a number"]],
      [Number.POSITIVE_INFINITY, [" INVALID_VALUE must be a number of at most 15 significant digits"]],
      [null, [" INVALID_TYPE must be a number"]],
      [1.5, []]
    ]
  ],
  [
    "Fields.measure",
    Fields.measure,
    [
      [-1, [" OUT_OF_RANGE must be from 0 to 1000000000; this is -1"]],
      [1000000001, [" OUT_OF_RANGE must be from 0 to 1000000000; this is 1000000001"]],
      [Number.POSITIVE_INFINITY, [" OUT_OF_RANGE must be from 0 to 1000000000"]],
      ["x", [" INVALID_TYPE must be a number"]]
    ]
  ],
  [
    "Fields.percent",
    Fields.percent,
    [
      [101, [" OUT_OF_RANGE must be from 0 to 100; this is 101"]],
      [-0.5, [" OUT_OF_RANGE must be from 0 to 100; this is -0.5"]],
      ["x", [" INVALID_TYPE must be a number"]],
      [Number.POSITIVE_INFINITY, [" OUT_OF_RANGE must be from 0 to 100"]]
    ]
  ],
  [
    "Fields.flag",
    Fields.flag,
    [
      ["true", [" INVALID_TYPE must be true or false"]],
      [1, [" INVALID_TYPE must be true or false"]],
      [null, [" INVALID_TYPE must be true or false"]]
    ]
  ],
  [
    "Fields.oneOf",
    Fields.oneOf("COD", "PREPAID"),
    [
      ["cod", [" INVALID_VALUE must be one of COD, PREPAID. Did you mean COD?"]],
      [1, [" INVALID_VALUE must be one of COD, PREPAID"]],
      [null, [" INVALID_VALUE must be one of COD, PREPAID"]]
    ]
  ],
  [
    "Fields.queryInteger",
    Fields.queryInteger(1, 200),
    [
      ["0x10", [" OUT_OF_RANGE must be a whole number from 1 to 200, in digits"]],
      ["", [" OUT_OF_RANGE must be a whole number from 1 to 200, in digits"]],
      ["201", [" OUT_OF_RANGE must be a whole number from 1 to 200, in digits"]],
      ["0", [" OUT_OF_RANGE must be a whole number from 1 to 200, in digits"]],
      ["1.0", [" OUT_OF_RANGE must be a whole number from 1 to 200, in digits"]],
      ["-1", [" OUT_OF_RANGE must be a whole number from 1 to 200, in digits"]],
      [["1", "2"], [" INVALID_TYPE must be text, in quotes"]],
      ["007", []]
    ]
  ],
  [
    "Fields.queryList",
    Fields.queryList(2),
    [
      ["a,b,c", [" OUT_OF_RANGE must have at most 2 values, separated by commas"]],
      ["a,,b,", []],
      ["a\u0000,b", ["/0 INVALID_TEXT has the control character U+0000 at position 2; remove it"]],
      [["a"], [" INVALID_TYPE must be text, in quotes"]]
    ]
  ],
  [
    "Fields.queryIntegers",
    Fields.queryIntegers(2),
    [
      ["1,x", [" INVALID_VALUE must be whole numbers, separated by commas"]],
      ["1,2,3", [" OUT_OF_RANGE must have at most 2 values, separated by commas"]],
      ["1,,2", []]
    ]
  ],
  [
    "Fields.queryFlag",
    Fields.queryFlag,
    [
      ["yes", [" INVALID_VALUE must be true or false"]],
      ["TRUE", [" INVALID_VALUE must be true or false"]],
      [["true"], [" INVALID_VALUE must be true or false"]]
    ]
  ],
  [
    "Fields.list",
    Fields.list(Schema.String),
    [
      [[], [" REQUIRED must not be empty"]],
      ["a", [" INVALID_TYPE must be an array"]],
      [
        [1, 2],
        ["/0 INVALID_TYPE must be text, in quotes", "/1 INVALID_TYPE must be text, in quotes"]
      ],
      [null, [" INVALID_TYPE must be an array"]]
    ]
  ],
  [
    "Fields.instant",
    Fields.instant,
    [
      ["2026-01-01", [" INVALID_VALUE must be an ISO 8601 date and time with an offset, such as 2026-01-31T12:00:00Z"]],
      [
        "2026-01-01T00:00:00",
        [" INVALID_VALUE must be an ISO 8601 date and time with an offset, such as 2026-01-31T12:00:00Z"]
      ],
      [
        "2026-13-01T00:00:00Z",
        [" INVALID_VALUE must be an ISO 8601 date and time with an offset, such as 2026-01-31T12:00:00Z"]
      ],
      [
        "2026-02-30T00:00:00Z",
        [" INVALID_VALUE must be an ISO 8601 date and time with an offset, such as 2026-01-31T12:00:00Z"]
      ],
      [
        "2026-04-30T24:00:00+05:30",
        [" INVALID_VALUE must be an ISO 8601 date and time with an offset, such as 2026-01-31T12:00:00Z"]
      ],
      [1, [" INVALID_TYPE must be text, in quotes"]],
      ["x".repeat(65), [" TOO_LONG must have at most 64 characters; this has 65"]],
      ["a\u0000", [" INVALID_TEXT has the control character U+0000 at position 2; remove it"]],
      ["2026-01-01T00:00Z", []]
    ]
  ],
  [
    "Fields.day",
    Fields.day,
    [
      ["31-02-2026", [" INVALID_VALUE must be an existing date as dd-mm-yyyy, such as 31-01-2026"]],
      ["2026-01-01", [" INVALID_VALUE must be an existing date as dd-mm-yyyy, such as 31-01-2026"]],
      [1, [" INVALID_TYPE must be text, in quotes"]],
      ["29-02-2028", []],
      ["01-06-0050", []]
    ]
  ],
  [
    "Fields.freeForm",
    Fields.freeForm,
    [
      [[], [" INVALID_TYPE must be an object"]],
      ["x", [" INVALID_TYPE must be an object"]],
      [
        { a: { b: ["x", Number.POSITIVE_INFINITY] } },
        ["/a/b/1 INVALID_VALUE must be a number of at most 15 significant digits"]
      ],
      [
        { a: ["ok", { b: "c\u0000" }] },
        ["/a/1/b INVALID_TEXT has the control character U+0000 at position 2; remove it"]
      ],
      [{ "k\u0000": 1 }, [" INVALID_TEXT has a wrong key: has the control character U+0000 at position 2; remove it"]],
      [
        { a: { "k\u0000": 1 } },
        ["/a INVALID_TEXT has a wrong key: has the control character U+0000 at position 2; remove it"]
      ],
      [
        { "a/b": { "c~d": "\ud800" } },
        ["/a~1b/c~0d INVALID_TEXT has half of a surrogate pair, U+D800, at position 1; remove it"]
      ],
      [{ a: "x".repeat(20001) }, ["/a TOO_LONG must have at most 20000 characters; this has 20001"]]
    ]
  ],
  [
    "a stock record",
    StockRecord,
    [
      [
        { location_id: 1, sku: "", quantity: "1", expected_quantity: -1 },
        [
          "/location_id INVALID_TYPE must be text, in quotes",
          "/sku REQUIRED must not be empty",
          "/quantity INVALID_TYPE must be a whole number",
          "/expected_quantity OUT_OF_RANGE must be from 0 to 1000000000; this is -1"
        ]
      ],
      [{}, ["/location_id REQUIRED is required", "/sku REQUIRED is required", "/quantity REQUIRED is required"]],
      [{ location_id: "a", sku: "b", quantity: 1, expected_quantity: null }, []],
      [
        { location_id: "a", sku: "b", quantity: 10000000000, expected_quantity: "x" },
        [
          "/quantity OUT_OF_RANGE must be from -1000000000 to 1000000000; this is 10000000000",
          "/expected_quantity INVALID_TYPE must be a whole number"
        ]
      ]
    ]
  ],
  [
    "a price record",
    PriceRecord,
    [
      [
        { location_id: "a", sku: "b", esp: "1", mrp: null, currency: 5 },
        [
          "/esp INVALID_TYPE must be a number",
          "/mrp INVALID_TYPE must be a number",
          "/currency INVALID_TYPE must be text, in quotes"
        ]
      ],
      ["x", [" INVALID_TYPE must be an object"]]
    ]
  ],
  [
    "a cancellation",
    CancelRecord,
    [
      [
        {
          orderId: "1",
          orderItems: [
            { orderItemId: "a", quantity: 1, reasonCode: {} },
            { orderItemId: "a", quantity: 1, reasonCode: 1.5 },
            { orderItemId: "a", quantity: 1, reasonCode: "a\u0000" },
            { orderItemId: "a", quantity: 1, reasonCode: null },
            { orderItemId: "a", quantity: 1, reasonCode: true }
          ]
        },
        [
          "/orderItems/0/reasonCode INVALID_TYPE must be text, in quotes",
          "/orderItems/1/reasonCode INVALID_TYPE must be text, in quotes; this is 1.5",
          "/orderItems/2/reasonCode INVALID_TEXT has the control character U+0000 at position 2; remove it",
          "/orderItems/4/reasonCode INVALID_TYPE must be text, in quotes"
        ]
      ],
      [{ orderId: "1", orderItems: [] }, ["/orderItems REQUIRED must not be empty"]]
    ]
  ],
  [
    "an invoice",
    InvoiceRecord,
    [
      [
        {
          orderId: "1",
          invoiceNumber: 2,
          invoiceType: "gift",
          orderItems: [{ orderItemId: "a", imeiSerialNumber: ["", 1] }],
          packages: [{ packageLengthCm: -1, packageWidthCm: "x" }, 5]
        },
        [
          "/invoiceNumber INVALID_TYPE must be text, in quotes",
          "/invoiceType INVALID_VALUE must be one of sale, return",
          "/orderItems/0/imeiSerialNumber/0 REQUIRED must not be empty",
          "/orderItems/0/imeiSerialNumber/1 INVALID_TYPE must be text, in quotes",
          "/packages/0/packageLengthCm OUT_OF_RANGE must be from 0 to 1000000000; this is -1",
          "/packages/0/packageWidthCm INVALID_TYPE must be a number",
          "/packages/1 INVALID_TYPE must be an object"
        ]
      ],
      [
        { orderId: "1", invoiceNumber: "2", invoiceType: "sale", orderItems: "x", packages: {} },
        ["/orderItems INVALID_TYPE must be an array", "/packages INVALID_TYPE must be an array"]
      ]
    ]
  ],
  [
    "a field whose value another answer has",
    Schema.Struct({ orderItems: Schema.Array(Schema.Struct({ orderItemId: Schema.String, quantity: Schema.Int })) }),
    [
      [
        {},
        [
          "/orderItems REQUIRED is required: [{ orderItemId, quantity }] with the items of GET /oms/v3/shipment?orderId=…"
        ]
      ],
      [
        { orderItems: [{ quantity: 1 }] },
        ["/orderItems/0/orderItemId REQUIRED is required; it is in GET /oms/v3/shipment?orderId=…"]
      ]
    ]
  ],
  [
    "a seller's AWB",
    AwbRecord,
    [
      [
        { awbNumber: "", courierName: null, autoDispatch: "yes" },
        [
          "/awbNumber REQUIRED must not be empty",
          "/courierName INVALID_TYPE must be text, in quotes",
          "/orderId REQUIRED is required",
          "/autoDispatch INVALID_TYPE must be true or false"
        ]
      ]
    ]
  ],
  [
    "a quality check",
    ReturnRecord,
    [
      [
        {
          orderId: "1",
          orderItems: [
            { orderItemId: "a", quantity: 1, reasonCode: { any: 1 } },
            { orderItemId: "a", quantity: 1, reasonCode: "a\u0000" }
          ],
          badQc: "x"
        },
        [
          "/orderItems/1/reasonCode INVALID_TEXT has the control character U+0000 at position 2; remove it",
          "/badQc INVALID_TYPE must be true or false"
        ]
      ]
    ]
  ],
  [
    "a marketplace's AWB",
    AwbItem,
    [
      [
        { orderId: "1", awbNumber: "2", courierName: "3", autoDispatch: true, isSelfShip: "true" },
        ["/autoDispatch INVALID_VALUE must be false", "/isSelfShip INVALID_VALUE must be true"]
      ],
      [
        {},
        [
          "/orderId REQUIRED is required",
          "/awbNumber REQUIRED is required",
          "/courierName REQUIRED is required",
          "/autoDispatch REQUIRED is required: false",
          "/isSelfShip REQUIRED is required: true"
        ]
      ]
    ]
  ],
  [
    "a marketplace's status",
    StatusItem,
    [
      [
        {
          order_id: "1",
          isSelfShip: true,
          status: "x",
          meta: { items: [{ quantity: 1 }, { external_line_id: "a", quantity: 0 }], return_id: "", reasonCode: "x" }
        },
        [
          "/meta/reasonCode INVALID_TYPE must be a whole number",
          "/meta/return_id REQUIRED must not be empty",
          "/meta/items/0 REQUIRED must say which line it is: send external_line_id or orderItemId",
          "/meta/items/1/quantity OUT_OF_RANGE must be from 1 to 1000000000; this is 0"
        ]
      ],
      [
        { order_id: "1", isSelfShip: true, status: "x", meta: { items: [] } },
        ["/meta/items REQUIRED must not be empty"]
      ],
      [{ order_id: "1", isSelfShip: true, status: "x", meta: "m" }, ["/meta INVALID_TYPE must be an object"]]
    ]
  ],
  [
    "an order",
    OrderBody,
    [
      [order, []],
      [
        {},
        [
          "/external_order_id REQUIRED is required",
          "/ordering_currency REQUIRED is required",
          "/payment REQUIRED is required: { mode }",
          "/billing_address REQUIRED is required: { name, phone, address1, city, state, pincode, country }",
          "/shipping_address REQUIRED is required: { name, phone, address1, city, state, pincode, country }",
          "/shipments REQUIRED is required: [{ external_shipment_id, location_id, lines: [{ sku, quantity, esp }] }]"
        ]
      ],
      [
        {
          ...order,
          payment: { mode: "CASH", methods: [{ mode: "", name: 1, amount: "x" }] },
          shipments: [],
          order_date: "yesterday",
          total_amount: "1",
          meta: [],
          coupon: { code: "", amount: 1, ownership: "X" },
          charges: [{ name: "a", type: "b", amount: 1, tax: { rate: 101, amount: "x" } }]
        },
        [
          "/order_date INVALID_VALUE must be an ISO 8601 date and time with an offset, such as 2026-01-31T12:00:00Z",
          "/payment/mode INVALID_VALUE must be one of COD, PREPAID",
          "/payment/methods/0/mode REQUIRED must not be empty",
          "/payment/methods/0/name INVALID_TYPE must be text, in quotes",
          "/payment/methods/0/amount INVALID_TYPE must be a number",
          "/coupon/code REQUIRED must not be empty",
          "/coupon/ownership INVALID_VALUE must be one of SELLER, MARKETPLACE",
          "/charges/0/tax/rate OUT_OF_RANGE must be from 0 to 100; this is 101",
          "/charges/0/tax/amount INVALID_TYPE must be a number",
          "/total_amount INVALID_TYPE must be a number",
          "/shipments EMPTY_REQUEST must not be empty",
          "/meta INVALID_TYPE must be an object"
        ]
      ],
      [
        { ...order, shipments: [shipment, shipment] },
        ["/shipments/1/external_shipment_id DUPLICATE_RECORD appears earlier in this order; give each shipment its own"]
      ],
      [
        {
          ...order,
          shipments: [
            {
              external_shipment_id: "s",
              location_id: "L",
              lines: [],
              delivery: { pack_by: 1 },
              fulfillment_type: "me",
              is_self_ship: 1
            }
          ]
        },
        [
          "/shipments/0/fulfillment_type INVALID_VALUE must be one of SELLER, MARKETPLACE",
          "/shipments/0/is_self_ship INVALID_TYPE must be true or false",
          "/shipments/0/delivery/pack_by INVALID_TYPE must be text, in quotes",
          "/shipments/0/lines REQUIRED must not be empty"
        ]
      ]
    ]
  ],
  [
    "a subscription",
    SubscriptionBody,
    [
      [
        { name: "n", return_url: "ftp://x", line_items: [] },
        [
          "/return_url INVALID_VALUE must be an http or https URL without credentials",
          "/line_items EMPTY_REQUEST must not be empty"
        ]
      ],
      [
        {
          name: "",
          return_url: "",
          trial_days: 3651,
          line_items: [
            line,
            { ...line, pricing_type: "x", recurring: { interval: "day" }, metadata: { a: Number.POSITIVE_INFINITY } }
          ]
        },
        [
          "/name REQUIRED must not be empty",
          "/return_url REQUIRED must not be empty",
          "/trial_days OUT_OF_RANGE must be from 0 to 3650; this is 3651",
          "/line_items/1/metadata/a INVALID_VALUE must be a number of at most 15 significant digits",
          "/line_items/1/pricing_type INVALID_VALUE must be one of recurring, one_time, usage",
          "/line_items/1/recurring/interval INVALID_VALUE must be one of month, year"
        ]
      ],
      [
        { name: "n", return_url: "https://u:p@x", line_items: Array.from({ length: 101 }, () => line) },
        [
          "/return_url INVALID_VALUE must be an http or https URL without credentials",
          "/line_items TOO_MANY_RECORDS must have at most 100 line items"
        ]
      ],
      [
        {
          name: "n",
          return_url: "x",
          line_items: [
            { ...line, name: "" },
            { ...line, name: "" }
          ]
        },
        [
          "/return_url INVALID_VALUE must be an http or https URL without credentials",
          "/line_items/0/name REQUIRED must not be empty",
          "/line_items/1/name REQUIRED must not be empty"
        ]
      ]
    ]
  ],
  [
    "a one-time charge",
    OneTimeBody,
    [
      [
        { name: "n", return_url: "https://x", charge: { name: "n", price: {}, pricing_type: 1 } },
        [
          "/charge/price/amount REQUIRED is required: money, such as 106.92",
          "/charge/price/currency_code REQUIRED is required",
          "/charge/pricing_type INVALID_TYPE must be text, in quotes"
        ]
      ],
      [
        {},
        [
          "/name REQUIRED is required",
          "/return_url REQUIRED is required",
          "/charge REQUIRED is required: { name, price: { amount, currency_code } }"
        ]
      ]
    ]
  ],
  [
    "a log",
    LogBody,
    [
      [{}, ["/log_meta REQUIRED is required: { entity }", "/log_payload REQUIRED is required"]],
      [
        { log_meta: { entity: { type: 1 }, modifier: "x", sessions: [] }, log_payload: "x" },
        [
          "/log_meta/entity/type INVALID_TYPE must be text, in quotes",
          "/log_meta/modifier INVALID_TYPE must be an object",
          "/log_meta/sessions INVALID_TYPE must be text, in quotes",
          "/log_payload INVALID_TYPE must be an object"
        ]
      ]
    ]
  ],
  [
    "a search",
    LogsQuery,
    [
      [{}, ["/qs REQUIRED is required"]],
      [
        { qs: "", limit: "0", cursor: "zz", sort: ["a"] },
        [
          "/qs REQUIRED must not be empty",
          "/limit OUT_OF_RANGE must be a whole number from 1 to 100, in digits",
          "/sort INVALID_TYPE must be text, in quotes",
          "/cursor INVALID_VALUE must be the next_cursor of an earlier page"
        ]
      ],
      [{ qs: ["a", "b"] }, ["/qs INVALID_TYPE must be text, in quotes"]]
    ]
  ],
  [
    "a grant",
    Grant,
    [
      [{}, ['/grant_type REQUIRED is required: "client_credentials"']],
      [{ grant_type: "password" }, ["/grant_type INVALID_VALUE must be client_credentials"]],
      [{ grant_type: 1 }, ["/grant_type INVALID_VALUE must be client_credentials"]],
      [null, [" INVALID_TYPE must be an object"]]
    ]
  ]
]

/** What was sent in place of another type; it has a test of its own. */
const sentInstead = /(?:: [[{].*)?; this is (?:null|text|a number|a boolean|an array|an object).*/s

const said = (schema: Schema.Codec<unknown>, input: unknown): ReadonlyArray<string> => {
  const decoded = Decode.all(schema)(input)
  return Result.isFailure(decoded)
    ? decoded.failure.map(({ code, message, path }) => `${path} ${code} ${message.replace(sentInstead, "")}`)
    : []
}

describe("Decode", () => {
  const messageOf = (schema: Schema.Codec<unknown>, input: unknown) => {
    const decoded = Decode.all(schema)(input)
    return Result.isFailure(decoded) ? decoded.failure[0]?.message : undefined
  }

  it("says what was sent in place of another type", () => {
    const kinds = [null, 1, true, [], {}] as const
    deepStrictEqual(
      kinds.map((input) => messageOf(Fields.text(), input)),
      ["null", "a number", "a boolean", "an array", "an object"].map(
        (kind) => `must be text, in quotes; this is ${kind}`
      )
    )
    strictEqual(messageOf(Fields.object, "{}"), "must be an object; this is text")
  })

  it("says how to send a value whose quotes, brackets, names or place are wrong", () => {
    const shape = Schema.Struct({ sku: Fields.name })
    const payment = Schema.Struct({
      payment: Schema.Struct({ mode: Fields.name, at: Schema.optionalKey(Fields.name) })
    })
    const said: ReadonlyArray<readonly [schema: Schema.Codec<unknown>, input: unknown, message: string]> = [
      [Fields.integer(1, 9), "3", "must be a whole number; this is text. Send 3 without quotes"],
      [Fields.amount, "-2.50", "must be a number; this is text. Send -2.50 without quotes"],
      [Fields.amount, "2,50", "must be a number; this is text"],
      [Fields.amount, `1${"0".repeat(99)}`, "must be a number; this is text"],
      [Schema.Array(shape), { sku: "A" }, "must be an array: [{ sku }]; this is an object. Send a list of it, in [ ]"],
      [shape, [{ sku: "A" }], "must be an object: { sku }; this is an array. Send its only element, without [ ]"],
      [shape, [{ sku: "A" }, { sku: "B" }], "must be an object: { sku }; this is an array"],
      [
        Schema.Array(shape),
        { data: [{ sku: "A" }] },
        'must be an array: [{ sku }]; this is an object. Send the list in "data" alone'
      ],
      [Schema.Boolean, "True", "must be true or false; this is text. Send true without quotes"],
      [Schema.Boolean, "yes", "must be true or false; this is text"],
      [
        Schema.Array(shape),
        { data: ["A"] },
        "must be an array: [{ sku }]; this is an object. Send a list of it, in [ ]"
      ],
      [shape, { order: { sku: "A" } }, 'is required; it is in "order": send the value of "order" alone'],
      [shape, { order: { name: "A" } }, "is required"],
      [shape, { order: { sku: "A" }, page: 1 }, "is required"],
      [shape, { package: { sku: "A" } }, "is required"],
      [payment, { mode: "COD" }, "is required: { mode }. Move mode into it"],
      [Schema.NullOr(payment), 3, "must be an object: { payment: { mode } }; this is a number"],
      [payment, { Payment: {} }, "is required; rename your Payment to payment: { mode }"],
      [payment, { payment: { type: "COD" } }, "is required; rename your type to mode"],
      [payment, {}, "is required: { mode }"]
    ]
    for (const [schema, input, message] of said) strictEqual(messageOf(schema, input), message)
  })

  for (const [what, schema, cases] of table) {
    it(`reports every violation in ${what}`, () => {
      for (const [input, expected] of cases) deepStrictEqual(said(schema, input), expected)
    })

    it(`reports the same for ${what} when its schema is compiled`, () => {
      SchemaJITCompiler.enable(schema.ast)
      for (const [input, expected] of cases) deepStrictEqual(said(schema, input), expected)
    })
  }

  it("names a record's place in its request, and reports its violations in one sentence", () => {
    const decode = Decode.record(StockRecord)
    deepStrictEqual(
      decode({ location_id: "BLR1", quantity: "1" }, ["shipments", 3]),
      Result.fail({
        code: "INVALID_RECORD",
        message:
          "/shipments/3/sku: Is required. /shipments/3/quantity: Must be a whole number; this is text. Send 1 without quotes.",
        path: "/shipments/3/sku"
      })
    )
    deepStrictEqual(
      Result.mapError(decode({ location_id: "BLR1", sku: "A\u0000" }, [3]), ({ code, path }) => [code, path]),
      Result.fail(["INVALID_TEXT", "/3/sku"])
    )
    deepStrictEqual(
      decode({ location_id: "BLR1", sku: "A", quantity: 1, more: true }, [0]),
      Result.succeed({ location_id: "BLR1", sku: "A", quantity: 1 })
    )
  })
})
