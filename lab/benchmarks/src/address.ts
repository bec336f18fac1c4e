/** The billing and shipping address of measured orders. */
export const address = {
  name: "A Customer",
  phone: "1",
  address1: "1 Road",
  city: "Bengaluru",
  state: "Karnataka",
  pincode: "560001",
  country: "India"
}
