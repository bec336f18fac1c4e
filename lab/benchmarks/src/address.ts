/**
 * Where the measured orders are billed and shipped to.
 */
export const address = {
  name: "A Customer",
  phone: "1",
  address1: "1 Road",
  city: "Bengaluru",
  state: "Karnataka",
  pincode: "560001",
  country: "India"
}
