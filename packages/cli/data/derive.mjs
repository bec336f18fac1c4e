/**
 * Makes the sandbox's data out of the public sources that README.md names.
 *
 *   node packages/cli/data/derive.mjs <folder of the source files>
 *
 * The same sources give the same bytes: nothing here reads a clock, a random number or a locale.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const folder = process.argv[2]
if (folder === undefined) {
  console.error("usage: node derive.mjs <folder of the source files>")
  process.exit(2)
}

/** The text of the folder's one file whose name has this ending. */
const source = (ending) => {
  const names = readdirSync(folder).filter((name) => name.endsWith(ending))
  if (names.length !== 1) throw new Error(`${names.length} files in ${folder} end with ${ending}, not one`)
  return readFileSync(join(folder, names[0]), "utf8")
}

/** The records of a CSV text (RFC 4180), each keyed by the header line. */
const csv = (text) => {
  const rows = [[""]]
  let quoted = false
  for (let i = 0; i < text.length; i++) {
    const c = text[i]
    const row = rows[rows.length - 1]
    if (quoted) {
      if (c !== '"') row[row.length - 1] += c
      else if (text[i + 1] === '"') row[row.length - 1] += text[++i]
      else quoted = false
    } else if (c === '"') quoted = true
    else if (c === ",") row.push("")
    else if (c === "\n") rows.push([""])
    else if (c !== "\r") row[row.length - 1] += c
  }
  const [header, ...records] = rows.filter((row) => row.length > 1)
  return records.map((row) => Object.fromEntries(header.map((name, i) => [name, row[i]])))
}

const slugOf = (text) =>
  text
    .toLowerCase()
    .replaceAll("'", "")
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")

/** One item per line, so that diffs are readable. */
const lines = (items) => `[\n${items.map((item) => JSON.stringify(item)).join(",\n")}\n]`

const write = (name, text) => writeFileSync(new URL(name, import.meta.url), `${text}\n`)

// ---------------------------------------------------------------------------------------------------------------------
// Data missing from the sources
// ---------------------------------------------------------------------------------------------------------------------

/** The taxonomy has T-shirts one level deeper, in a category for all shirts; it does not use this uid. */
const T_SHIRTS = { uid: 900001, path: ["Apparel & Accessories", "Clothing", "T-Shirts"] }

const DEPARTMENT_SLUGS = { "Apparel & Accessories": "apparel" }

const HS_BY_HAND = [
  {
    hs_code: "61091000",
    type: "HS",
    description: "T-shirts, singlets and other vests, knitted or crocheted; of cotton",
    country_code: "IN"
  },
  {
    hs_code: "996511",
    type: "SAC",
    description:
      "Road transport services of goods including letters, parcels, live animals, household and office furniture, " +
      "containers etc by refrigerator vehicles, trucks, trailers, man or animal drawn vehicles or any other vehicles",
    country_code: "IN"
  },
  {
    hs_code: "998314",
    type: "SAC",
    description: "Information technology (IT) design and development services",
    country_code: "IN"
  },
  { hs_code: "998599", type: "SAC", description: "Other support services n.e.c.", country_code: "IN" }
]

const BRANDS = [
  { uid: 1, name: "Acme", company_id: 1 },
  { uid: 2, name: "Zephyr", company_id: 1 },
  { uid: 3, name: "Globex", company_id: 2 }
]

/**
 * GST of a sale inside one state: half of the rate goes to the centre (CGST), half to the state (SGST). A sale between
 * states bears one IGST at the sum of the two; it is not listed, because it is always that sum. With a threshold
 * a component applies to unit prices above it, and replaces the component of that name without one.
 */
const gst = (rate, threshold) =>
  ["CGST", "SGST"].map((name) => ({ name, rate: rate / 2, ...(threshold === undefined ? {} : { threshold }) }))

const version = (version_status, applicable_from, components) => ({ version_status, applicable_from, components })

const current = (components) => [version("CURRENT", "2017-07-01", components)]

const TAX_RULES = [
  { id: "gst-0", name: "GST 0 %", status: "ACTIVE", versions: current(gst(0)) },
  { id: "gst-3", name: "GST 3 %, imitation jewellery", status: "ACTIVE", versions: current(gst(3)) },
  { id: "gst-5", name: "GST 5 %", status: "ACTIVE", versions: current(gst(5)) },
  { id: "gst-12", name: "GST 12 %", status: "ACTIVE", versions: current(gst(12)) },
  { id: "gst-18", name: "GST 18 %", status: "ACTIVE", versions: current(gst(18)) },
  { id: "gst-28", name: "GST 28 %", status: "ACTIVE", versions: current(gst(28)) },
  {
    id: "gst-apparel",
    name: "GST apparel, 5 % up to 1000, 12 % above",
    status: "ACTIVE",
    versions: current([...gst(5), ...gst(12, 1000)])
  },
  {
    // 12 % until July 2022, then 18 %; the version to come is made up, so that the sandbox has one.
    id: "gst-led-lamps",
    name: "GST LED lamps and lights",
    status: "ACTIVE",
    versions: [
      version("PAST", "2017-07-01", gst(12)),
      version("CURRENT", "2022-07-18", gst(18)),
      version("FUTURE", "2099-04-01", gst(5))
    ]
  },
  {
    id: "gst-28-cess-12",
    name: "GST 28 % with 12 % compensation cess",
    status: "INACTIVE",
    versions: [version("PAST", "2017-07-01", [...gst(28), { name: "CESS", rate: 12 }])]
  }
]

const attribute = (slug, name, categories, schema) => ({
  slug,
  name,
  categories,
  schema: { mandatory: false, multi: false, ...schema }
})

const COLOURS = [
  "Beige",
  "Black",
  "Blue",
  "Brown",
  "Green",
  "Grey",
  "Maroon",
  "Multicolour",
  "Navy",
  "Orange",
  "Pink",
  "Purple",
  "Red",
  "White",
  "Yellow"
]

const T = ["T-Shirts"]

/** No category of the retail sample has a mandatory one. */
const ATTRIBUTES = [
  attribute("color", "Color", T, { type: "str", mandatory: true, allowed_values: COLOURS }),
  attribute("material", "Material", T, { type: "str", mandatory: true }),
  attribute("sleeve_length", "Sleeve length", T, {
    type: "str",
    allowed_values: ["Sleeveless", "Short", "Three quarter", "Long"]
  }),
  attribute("pack_of", "Pack of", T, { type: "int", range: { min: 1, max: 100 } }),
  attribute("wash_temperature", "Wash temperature, °C", T, { type: "float", range: { min: 20, max: 95 } }),
  attribute("is_organic", "Organic", T, { type: "bool" }),
  attribute("season", "Season", T, {
    type: "str",
    multi: true,
    allowed_values: ["Spring", "Summer", "Monsoon", "Autumn", "Winter"]
  }),
  attribute("launch_date", "Launch date", T, { type: "date" }),
  attribute("care_code", "Care code", T, { type: "str", format: "^[A-Z]{2}-[0-9]{4}$" }),
  attribute("minimum_age", "Minimum age, years", ["Activity Toys", "Board Games", "Jigsaw Puzzles", "Pretend Play"], {
    type: "int",
    range: { min: 0, max: 18 }
  }),
  attribute("burning_time", "Burning time, hours", ["Home Fragrances"], { type: "float", range: { min: 0, max: 500 } }),
  attribute("dishwasher_safe", "Dishwasher safe", ["Cookware & Bakeware", "Tableware"], { type: "bool" }),
  attribute("battery_types", "Battery types", ["Clocks", "Lamps", "Light Ropes & Strings"], {
    type: "str",
    multi: true,
    allowed_values: ["AA", "AAA", "C", "CR2032", "D", "None"]
  }),
  attribute("model_number", "Model number", ["Laptops", "Tablet Computers", "Televisions"], {
    type: "str",
    format: "^[A-Z0-9][A-Z0-9-]{2,31}$"
  }),
  attribute("warranty_months", "Warranty, months", ["Laptops", "Tablet Computers", "Televisions"], {
    type: "int",
    range: { min: 0, max: 120 }
  }),
  attribute("batch_tracked", "Batch tracked", "*", { type: "bool" })
]

/** Length, width, height in centimetres and weight in grams of a usual piece. */
const SHAPES = {
  bag: [40, 35, 2, 180],
  bottle: [33, 20, 5, 350],
  box: [20, 15, 8, 400],
  breakable: [14, 12, 10, 380],
  cabinet: [50, 30, 60, 9500],
  flat: [30, 20, 1.5, 250],
  long: [85, 8, 8, 420],
  mat: [70, 40, 2, 1600],
  none: [0, 0, 0, 0],
  paper: [21, 15, 0.5, 60],
  small: [8, 6, 3, 70],
  tall: [12, 12, 22, 450],
  textile: [35, 30, 3, 220]
}

/**
 * The first row whose words are in a product's name gives its category (L3), HS code, tax rule and shape. Rows of
 * narrower meaning come before those of a wider one: a "lunch bag" is found before a "bag".
 */
const KINDS = [
  // Charges that the shop books as if they were goods
  ["^POSTAGE$|CARRIAGE", "Packing Materials", "996511", "gst-18", "none"],
  ["^DISCOUNT$|^MANUAL$|BANK CHARGES|COMMISSION|ADJUST", "Gift Giving", "998599", "gst-18", "none"],
  // Warmth, health and bath
  ["HOT WATER BOTTLE|HOTTIE", "First Aid", "401490", "gst-12", "bottle"],
  ["HAND WARMER", "First Aid", "630790", "gst-5", "small"],
  ["PLASTERS", "First Aid", "300510", "gst-12", "small"],
  ["FIRST AID", "First Aid", "731029", "gst-18", "box"],
  ["TATTOO", "Cosmetics", "490890", "gst-12", "paper"],
  ["BATH SPONGE", "Cosmetics", "392490", "gst-18", "small"],
  ["FLANNEL", "Towels", "630260", "gst-5", "textile"],
  ["SOAP HOLDER", "Soap Dishes & Holders", "691200", "gst-12", "breakable"],
  ["TISSUE BOX", "Facial Tissue Holders", "392490", "gst-18", "box"],
  ["TISSUES", "Household Paper Products", "481820", "gst-18", "small"],
  // Light, candles and scents
  ["NIGHT ?LIGHT", "Night Lights & Ambient Lighting", "940542", "gst-led-lamps", "small"],
  ["CANDLESTICK CANDLE|SCENT(ED)? CANDLE|CANDLES", "Home Fragrances", "340600", "gst-12", "small"],
  ["\\bT-LIGHTS|DECOUPAGE CANDLE|BIRD CANDLE", "Home Fragrances", "340600", "gst-12", "small"],
  ["GLASS.*(\\bT-LIGHT|TEALIGHT)", "Home Fragrance Accessories", "701399", "gst-18", "breakable"],
  ["\\bT-LIGHT|TEALIGHT|CANDLE ?HOLDER|CANDLE ?STICK", "Home Fragrance Accessories", "940550", "gst-12", "breakable"],
  ["LANTERN", "Home Fragrance Accessories", "940550", "gst-12", "tall"],
  ["INCENSE", "Home Fragrances", "330741", "gst-5", "small"],
  ["CHRISTMAS LIGHTS", "Light Ropes & Strings", "940531", "gst-led-lamps", "box"],
  [
    "LIGHTS STRING|LIGHT GARLAND|SET 10 LIGHTS|CHILLI LIGHTS",
    "Light Ropes & Strings",
    "940542",
    "gst-led-lamps",
    "box"
  ],
  ["LAMP|TABLE LIGHT", "Lamps", "940521", "gst-led-lamps", "tall"],
  ["MATCHES", "Lighters & Matches", "360500", "gst-12", "small"],
  // Bags, cases and travel
  ["LUGGAGE TAG", "Luggage Tags", "420232", "gst-18", "paper"],
  ["LUNCH BAG", "Food & Beverage Carriers", "420292", "gst-18", "bag"],
  ["LUNCH BOX|SNACK BOX", "Food & Beverage Carriers", "392410", "gst-18", "box"],
  ["PICNIC BASKET", "Food & Beverage Carriers", "460219", "gst-5", "box"],
  ["GIFT BAG|PARTY BAG", "Gift Giving", "481940", "gst-18", "paper"],
  ["JUMBO|SHOPPER|RECYCLING BAG", "Paper & Plastic Shopping Bags", "420292", "gst-18", "bag"],
  ["SHOULDER BAG|TOTE BAG|CHARLOTTE BAG|AIRLINE BAG", "Handbags", "420222", "gst-18", "bag"],
  ["SILK PURSE", "Wallets & Money Clips", "420232", "gst-18", "small"],
  ["MINI CASES", "Storage & Organization", "481920", "gst-18", "box"],
  ["PARASOL", "Outdoor Living", "660110", "gst-12", "long"],
  ["FOLDING UMBRELLA", "Outdoor Living", "660191", "gst-12", "small"],
  ["UMBRELLA", "Outdoor Living", "660199", "gst-12", "long"],
  // Worn
  ["RAIN HAT", "Hats", "650500", "gst-apparel", "textile"],
  ["SLIPPER", "Sleepwear & Loungewear", "640520", "gst-12", "textile"],
  ["HAIRBAND|HAIR GRIP", "Hair Accessories", "961519", "gst-12", "small"],
  ["BRACELET|BANGLE", "Bracelets", "711719", "gst-3", "small"],
  ["NECKLACE", "Necklaces", "711790", "gst-3", "small"],
  ["EXPANDABLE RING", "Rings", "711719", "gst-3", "small"],
  ["BAG CHARM", "Charms & Pendants", "711790", "gst-3", "small"],
  // Needlework, craft and music
  [
    "DOLL (ROSIE|MOLLY|EMILY)|(CHARLOTTE|LOLA|OLIVIA) DOLL",
    "Dolls, Playsets & Toy Figures",
    "950300",
    "gst-12",
    "small"
  ],
  ["FELTCRAFT CUSHION", "Arts & Crafts", "630790", "gst-5", "textile"],
  ["FELTCRAFT|CHRISTMAS CRAFT", "Arts & Crafts", "630790", "gst-5", "small"],
  ["RIBBON", "Arts & Crafts", "580632", "gst-5", "small"],
  ["SEWING BOX|BUTTON BOX", "Arts & Crafts", "442090", "gst-12", "box"],
  ["SEWING KIT|REPAIR KIT", "Arts & Crafts", "731990", "gst-12", "small"],
  ["CROCHET FLOWERS", "Arts & Crafts", "581092", "gst-12", "small"],
  ["CARD KIT", "Arts & Crafts", "481730", "gst-18", "flat"],
  ["SCISSOR", "Arts & Crafts", "821300", "gst-18", "small"],
  ["PAINT SET", "Art & Drawing Toys", "321310", "gst-12", "small"],
  ["HARMONICA", "Musical Instruments", "920590", "gst-18", "small"],
  ["BOOM BOX|SPEAKER", "Audio Components", "851822", "gst-18", "box"],
  // Toys and games
  ["CHOCOLATE CALCULATOR", "Calculators", "847010", "gst-18", "small"],
  ["PLAYING CARDS|SNAP CARDS|CARD GAME", "Card Games", "950440", "gst-12", "small"],
  ["DOMINOES", "Tile Games", "950490", "gst-12", "box"],
  ["SNAKES & LADDERS", "Board Games", "950490", "gst-12", "flat"],
  ["JIGSAW BLOCKS|ALPHABET BLOCKS", "Building Toys", "950300", "gst-12", "box"],
  ["JIGSAW", "Jigsaw Puzzles", "950300", "gst-12", "box"],
  ["MARBLES|SPINNING TOPS|SKIPPING ROPE|BABUSHKA NESTING", "Activity Toys", "950300", "gst-12", "box"],
  ["SKITTLES|CATCH CUP", "Sports Toys", "950300", "gst-12", "box"],
  ["DRAWING SLATE", "Art & Drawing Toys", "950300", "gst-12", "flat"],
  ["SEASIDE BUCKET|BEACH SPADE", "Beach & Sand Toys", "950300", "gst-12", "tall"],
  ["PLAYHOUSE|SOFT TOY", "Dolls, Playsets & Toy Figures", "950300", "gst-12", "box"],
  ["COOKING SET|GIRLY PINK TOOL SET", "Pretend Play", "950300", "gst-12", "box"],
  ["TOY TIDY", "Storage & Organization", "630790", "gst-5", "bag"],
  ["GLOBE", "World Globes", "490590", "gst-12", "box"],
  // Paper, writing and parties
  ["CAKE CASES|CUPCAKE LACE|DOILIES", "Cookware & Bakeware", "482369", "gst-18", "paper"],
  ["NAPKINS", "Party Supplies", "481830", "gst-18", "paper"],
  ["PAPER CUPS|PAPER PLATES", "Party Supplies", "482369", "gst-18", "paper"],
  ["INVITES", "Party Supplies", "490900", "gst-18", "paper"],
  ["SHAPED BALLOONS|BALLOON ART", "Party Supplies", "950300", "gst-12", "paper"],
  ["PARTY CONE|PAPER CHAIN|PAPER BUNTING|PAPER GARLAND", "Party Supplies", "950590", "gst-12", "paper"],
  ["BUNTING", "Party Supplies", "630790", "gst-5", "textile"],
  ["CARD HOLDER", "Desk Organizers", "732690", "gst-18", "small"],
  ["GIFT TAPE|RETROSPOT TAPE|DESIGN TAPES", "Office Tape", "391910", "gst-18", "small"],
  ["GIFT TAGS|METAL TAGS", "Gift Giving", "482110", "gst-18", "paper"],
  ["GIFT BOXES|PANNETONE", "Gift Giving", "481920", "gst-18", "paper"],
  ["WRAP ", "Gift Giving", "481190", "gst-18", "paper"],
  ["MESSAGE CARDS|WRITING SET|STATIONERY SET", "Paper Products", "481730", "gst-18", "paper"],
  ["ADVENT CALENDAR", "Seasonal & Holiday Decorations", "950510", "gst-12", "textile"],
  ["CALENDAR", "Calendars, Organizers & Planners", "491000", "gst-12", "flat"],
  ["^CARD |CARD, ?$|BIRTHDAY CARD", "Gift Giving", "490900", "gst-18", "paper"],
  ["NOTEBOOK", "Paper Products", "482010", "gst-18", "flat"],
  ["STICKER", "Paper Products", "482110", "gst-18", "paper"],
  ["ERASER|RUBBERS", "Erasers", "401692", "gst-5", "small"],
  ["PENCIL", "Writing & Drawing Instruments", "960910", "gst-12", "small"],
  ["\\bPENS?\\b", "Writing & Drawing Instruments", "960810", "gst-18", "small"],
  ["CHALK STICKS", "Writing & Drawing Instruments", "960990", "gst-12", "small"],
  ["CHALKBOARD|BLACK BOARD", "Chalkboards", "961000", "gst-18", "flat"],
  ["RECIPE BOX", "Recipe Card Boxes", "442090", "gst-12", "box"],
  // Seeds and the garden
  ["SEED ENVELOPES", "Seeds", "120999", "gst-0", "paper"],
  ["GROW", "Plant & Herb Growing Kits", "120991", "gst-0", "breakable"],
  ["HERB MARKER|PLANT HOLDER|GLASS CLOCHE|FIRE BUCKET", "Gardening", "732690", "gst-18", "tall"],
  ["BIRDHOUSE", "Bird & Wildlife Houses", "442199", "gst-12", "box"],
  ["THERMOMETER", "Household Thermometers", "902511", "gst-18", "long"],
  // Kitchen and table
  ["TEA TOWEL", "Towels", "630291", "gst-5", "textile"],
  ["OVEN GLOVE", "Kitchen Tools & Utensils", "630790", "gst-5", "textile"],
  ["APRON", "Kitchen Tools & Utensils", "621142", "gst-apparel", "textile"],
  ["EGG COSY|MUG COSY|TEA COSY", "Kitchen Linens Sets", "630790", "gst-5", "textile"],
  ["PLACEMAT|COASTER", "Table Linens", "482390", "gst-18", "flat"],
  ["TABLE CLOTH", "Table Linens", "630251", "gst-5", "textile"],
  ["NAPKIN CHARMS", "Napkin Rings", "732690", "gst-18", "small"],
  ["COOKIE CUTTER|MEASURING SPOONS|EGG HOLDER|TOAST ITS", "Kitchen Tools & Utensils", "732399", "gst-12", "small"],
  ["CAKE ?STAND|TEASPOONS|CUTLERY SET", "Tableware", "821599", "gst-18", "box"],
  ["DOG BOWL", "Pet Bowls, Feeders & Waterers", "691200", "gst-12", "breakable"],
  ["MUG WARMER", "Kitchen Appliances", "851679", "gst-18", "small"],
  ["TEA GLASS|GLASS BOWLS", "Tableware", "701349", "gst-18", "breakable"],
  ["MUG|SAUCER|BEAKERS|MILK JUG|TEA SET|EGG CUP", "Tableware", "691200", "gst-12", "breakable"],
  ["PLATE\\b", "Tableware", "691110", "gst-12", "breakable"],
  ["DINNER TRAY|TRAY, BREAKFAST", "Tableware", "392410", "gst-18", "flat"],
  ["POPCORN HOLDER", "Tableware", "691200", "gst-12", "tall"],
  ["JAM MAKING|JAM JAR", "Food Storage", "701090", "gst-18", "breakable"],
  ["BREAD BIN|CAKE TIN|BISCUIT TIN|TEA CADDY|SET OF 2 TINS", "Food Storage", "732399", "gst-12", "box"],
  // The house
  ["ALARM CLOCK", "Clocks", "910519", "gst-18", "breakable"],
  ["CLOCK", "Clocks", "910521", "gst-18", "flat"],
  ["MIRROR\\b", "Mirrors", "700992", "gst-12", "breakable"],
  ["WALL ART", "Artwork", "700992", "gst-12", "flat"],
  ["RECORD FRAME|RECORD COVER FRAME", "Picture Frames", "392490", "gst-18", "flat"],
  ["PHOTO FRAME|PICTURE FRAME|WOODEN FRAME|PHOTO CUBE|PHOTO CLIP", "Picture Frames", "441490", "gst-12", "flat"],
  ["DOORMAT", "Door Mats", "570500", "gst-12", "mat"],
  ["DOORSTOP", "Door Hardware", "630790", "gst-5", "textile"],
  ["DOORSIGN|SIGN\\b", "Novelty Signs", "830629", "gst-12", "flat"],
  ["DRAWER ?KNOB", "Cabinet Hardware", "830242", "gst-18", "small"],
  ["COAT RACK|HOOK HANGER", "Coat & Hat Racks", "830250", "gst-18", "flat"],
  ["HEART FLOWERS HOOK", "Hooks, Buckles & Fasteners", "830250", "gst-18", "small"],
  ["COAT HANGER", "Storage & Organization", "442110", "gst-12", "textile"],
  ["IRONING BOARD|CLOTHES PEGS|DAISY PEGS", "Laundry Supplies", "442199", "gst-12", "box"],
  ["WASTEPAPER BIN", "Waste Containment", "392490", "gst-18", "tall"],
  ["SIDEBOARD", "Buffets & Sideboards", "940360", "gst-18", "cabinet"],
  ["CABINET", "Storage Cabinets & Lockers", "940360", "gst-18", "cabinet"],
  ["QUILT", "Bedding", "940440", "gst-12", "mat"],
  ["CUSHION COVER|C/COVER", "Throw Pillows", "630492", "gst-5", "textile"],
  ["FILLER PAD", "Throw Pillows", "940490", "gst-18", "textile"],
  ["MONEY BOX|MONEY BANK|PIGGY BANK", "Piggy Banks & Money Jars", "691390", "gst-12", "breakable"],
  ["MAGNET", "Refrigerator Magnets", "850519", "gst-18", "small"],
  ["VASE|FLOWER JUG", "Vases", "691390", "gst-12", "tall"],
  ["LETTERS|BLOCK WORD", "House Numbers & Letters", "442019", "gst-12", "box"],
  ["BASKET|CRATES|WALL TIDY|ORGANISER", "Baskets", "460219", "gst-5", "box"],
  ["TRINKET|DRESSING TABLE POT|TREASURE CHEST|KEEPSAKE BOX|HEART BOX", "Decorative Jars", "691390", "gst-12", "small"],
  ["WREATH|GARLAND", "Wreaths & Garlands", "670290", "gst-12", "textile"],
  ["CHRISTMAS|BAUBLES|ANGEL|HOLLY BELL|FAIRY", "Seasonal & Holiday Decorations", "950510", "gst-12", "small"],
  ["FLYING DUCKS|ORNAMENT", "Figurines", "691390", "gst-12", "breakable"],
  ["WICKER", "Figurines", "460219", "gst-5", "small"],
  ["METAL|ZINC|FILIGREE|TRELLIS", "Figurines", "830629", "gst-12", "small"],
  ["DISCO BALL ROTATOR", "Night Lights & Ambient Lighting", "940542", "gst-led-lamps", "box"],
  ["DISCO BALL", "Special Effects", "950590", "gst-12", "box"],
  ["PLACE SETTING", "Party Supplies", "442019", "gst-12", "small"],
  ["", "Figurines", "442019", "gst-12", "small"]
].map(([words, category, hs_code, tax_rule_id, shape]) => ({
  words: new RegExp(words),
  category,
  hs_code,
  tax_rule_id,
  shape
}))

// ---------------------------------------------------------------------------------------------------------------------
// reference.json
// ---------------------------------------------------------------------------------------------------------------------

const taxonomy = source("product-taxonomy.en-US.txt")
  .split("\n")
  .filter((line) => /^\d/.test(line))
  .map((line) => {
    const [uid, path] = line.split(" - ", 2)
    return { uid: Number(uid), path: path.trim().split(" > ") }
  })

if (taxonomy.some((entry) => entry.uid === T_SHIRTS.uid)) throw new Error("the uid of T-Shirts is taken")

const tree = [...taxonomy.filter((entry) => entry.path.length <= 3), T_SHIRTS]
const uidOf = new Map(tree.map((entry) => [entry.path.join(" > "), entry.uid]))
const departmentSlug = (name) => DEPARTMENT_SLUGS[name] ?? slugOf(name)

/**
 * Products name their category by its L3 name, and slugs are read as keys, so neither may occur twice. The name of the
 * first in the taxonomy's order stays plain, which is the order of the departments; a later one gets " (L2 name)" after
 * it, its slug the L2's. In the edition of 2019-07-10 no name of the three levels occurs twice; a new one may differ.
 */
const taken = new Set()
const named = (path) => {
  const plain = path[path.length - 1]
  const name = taken.has(slugOf(plain)) ? `${plain} (${path[path.length - 2]})` : plain
  if (taken.has(slugOf(name))) throw new Error(`no free name for ${path.join(" > ")}`)
  taken.add(slugOf(name))
  return { name, slug: slugOf(name) }
}

/** The L3 that the sandbox's marketplaces know by names of their own. */
const channelled = new Set(["T-Shirts", ...KINDS.map((kind) => kind.category)])

const categories = tree.map(({ path, uid }) => {
  const [l1, l2] = [1, 2].map((level) => uidOf.get(path.slice(0, level).join(" > ")))
  const { name, slug } = named(path)
  const level = path.length
  return {
    uid,
    name,
    slug,
    level,
    departments: [l1],
    ...(level === 2 ? { parent: l1 } : level === 3 ? { parent: l2, l1, l2 } : {}),
    is_active: true,
    channels: level === 3 && channelled.has(name) ? { bazaar: path.join(" > "), souk: `${path[2]}, ${path[1]}` } : {}
  }
})

const departments = tree
  .filter((entry) => entry.path.length === 1)
  .map(({ path, uid }) => ({ uid, name: path[0], slug: departmentSlug(path[0]), is_active: true }))

const templates = departments.map(({ name, slug, uid }) => ({
  slug,
  name,
  departments: [slug],
  categories: categories.filter((c) => c.level === 3 && c.l1 === uid).map((c) => c.slug),
  is_active: true
}))

const hsCodes = [
  ...csv(source("hs-codes.csv"))
    .filter((row) => row.level === "4" || row.level === "6")
    .map((row) => ({ hs_code: row.hscode, type: "HS", description: row.description, country_code: "IN" })),
  ...HS_BY_HAND
]

const sections = {
  departments,
  categories,
  brands: BRANDS,
  templates,
  attributes: ATTRIBUTES,
  hsCodes,
  taxRules: TAX_RULES
}
write(
  "reference.json",
  `{\n${Object.entries(sections)
    .map(([name, items]) => `${JSON.stringify(name)}: ${lines(items)}`)
    .join(",\n")}\n}`
)

// ---------------------------------------------------------------------------------------------------------------------
// retail-products.json
// ---------------------------------------------------------------------------------------------------------------------

const sample = csv(source("online-retail-sample.csv"))

/** Stock codes differ in case between lines in this shop's books; in upper case they are one product. */
const skuOf = (row) => row.StockCode.trim().toUpperCase()

/** Pence at 105 rupees a pound are paise: whole ones, so that nothing is rounded here. */
const paiseOf = (pounds) => {
  const match = /^(\d+)(?:\.(\d{1,2}))?$/.exec(pounds)
  if (match === null) throw new Error(`not a price in pounds and pence: ${pounds}`)
  return (Number(match[1]) * 100 + Number((match[2] ?? "").padEnd(2, "0"))) * 105
}

const decimal = (paise) => `${Math.floor(paise / 100)}.${String(paise % 100).padStart(2, "0")}`

/** One pound, for a code that has no price above 0. */
const FALLBACK_PAISE = paiseOf("1")

const wares = new Map()
for (const row of sample) {
  const sku = skuOf(row)
  const ware = wares.get(sku) ?? { name: "", paise: 0 }
  const name = row.Description.trim().replace(/\s+/g, " ")
  // The longest name is used; if two are equally long, the first.
  if (name.length > ware.name.length) ware.name = name
  ware.paise = Math.max(ware.paise, paiseOf(row.UnitPrice))
  wares.set(sku, ware)
}

const categoryByName = new Map(categories.filter((c) => c.level === 3).map((c) => [c.name, c]))
const slugOfDepartment = new Map(departments.map((d) => [d.uid, d.slug]))

/** The size in a name, and the ratio of its measures to those of a usual piece. */
const sizeOf = (name) =>
  /\b(SMALL|MINI)\b/.test(name)
    ? ["S", 0.75]
    : /\b(MEDIUM|MED)\b/.test(name)
      ? ["M", 1]
      : /\b(LARGE|GIANT|JUMBO)\b/.test(name)
        ? ["L", 1.4]
        : ["OS", 1]

const products = [...wares].map(([sku, { name, paise }]) => {
  const kind = KINDS.find((k) => k.words.test(name.toUpperCase()))
  const category = categoryByName.get(kind.category)
  if (category === undefined) throw new Error(`no L3 category ${kind.category}`)
  const [size, scale] = sizeOf(name)
  const [length, width, height, weight] = SHAPES[kind.shape]
  const esp = paise === 0 ? FALLBACK_PAISE : paise
  return {
    item_code: `AR-${sku}`,
    name: name === "" ? `ITEM ${sku}` : name,
    slug: slugOf(`${name} ${sku}`),
    department: category.l1,
    category: category.name,
    hs_code: kind.hs_code,
    template: slugOfDepartment.get(category.l1),
    tax_rule_id: kind.tax_rule_id,
    brand: [...sku].reduce((sum, c) => sum + c.charCodeAt(0), 0) % 2 === 0 ? "Acme" : "Zephyr",
    country_of_origin: "India",
    sku,
    size,
    item_length: Math.round(length * scale * 10) / 10,
    item_width: Math.round(width * scale * 10) / 10,
    item_height: Math.round(height * scale * 10) / 10,
    item_weight: Math.round(weight * scale * scale),
    mrp: decimal(Math.round((esp * 6) / 5)),
    esp: decimal(esp)
  }
})

write("retail-products.json", lines(products))

// ---------------------------------------------------------------------------------------------------------------------
// retail-invoices.json
// ---------------------------------------------------------------------------------------------------------------------

/** `01-12-10 8:26`, day first; British time in winter, which is UTC. */
const instantOf = (text) => {
  const [, day, month, year, hour, minute] = /^(\d\d)-(\d\d)-(\d\d) (\d{1,2}):(\d\d)$/.exec(text)
  return `20${year}-${month}-${day}T${hour.padStart(2, "0")}:${minute}:00Z`
}

/** Why a line is not a paid sale (or return) of goods, if it isn't one. */
const noteOf = (row, quantity) => {
  const reasons = [
    ...(quantity <= 0 ? ["the quantity is not above 0"] : []),
    ...(paiseOf(row.UnitPrice) === 0 ? ["the unit price is 0"] : [])
  ]
  return reasons.length === 0 ? {} : { note: reasons.join("; ") }
}

const invoices = new Map()
for (const row of sample) {
  const cancellation = row.InvoiceNo.startsWith("C")
  const invoice = invoices.get(row.InvoiceNo) ?? {
    invoice: row.InvoiceNo,
    cancellation,
    date: instantOf(row.InvoiceDate),
    country: row.Country,
    customer: row.CustomerID === "" ? null : row.CustomerID,
    lines: []
  }
  const quantity = cancellation ? -Number(row.Quantity) : Number(row.Quantity)
  invoice.lines.push({
    sku: skuOf(row),
    quantity,
    unitPrice: decimal(paiseOf(row.UnitPrice)),
    ...noteOf(row, quantity)
  })
  invoices.set(row.InvoiceNo, invoice)
}

write(
  "retail-invoices.json",
  `[\n${[...invoices.values()]
    .map(({ lines: sold, ...head }) => `${JSON.stringify(head).slice(0, -1)},"lines":${lines(sold)}}`)
    .join(",\n")}\n]`
)
