const NOTE = "Leave it with the neighbors when nobody is in; ring twice, the bell is faint. ".padEnd(120, ".");

/** The payload of every run, about 200 bytes. */
export function newOrder(order_id) {
  return { order_id, customer: `cus_${order_id}`, amount: 1999, currency: "eur", note: NOTE };
}

export function newOrders(from, to) {
  return Array.from({ length: to - from }, (_, index) => newOrder(from + index));
}
