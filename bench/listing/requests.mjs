import { CUSTOMERS } from "./seed-runs.mjs";

const some = (count) => Math.floor(Math.random() * count);
const containing = (value) => ({ payload_contains: JSON.stringify(value) });
const SELECTIVE = "p95 ≤ 50";
const STATUS = "p95 ≤ 20";

/**
 * The measured requests. `query(n)` returns a different query each time. `pages`: follows that many cursors and
 * measures the last page.
 */
export const REQUESTS = [
  { name: "all runs", query: () => ({}), target: STATUS },
  { name: "status=completed", query: () => ({ status: "completed" }), target: STATUS },
  { name: "status=failed (2 %)", query: () => ({ status: "failed" }), target: STATUS },
  { name: "status=canceled (1 in 5,000)", query: () => ({ status: "canceled" }), target: STATUS },
  { name: "status=paused (1 in 10,000)", query: () => ({ status: "paused" }), target: STATUS },
  { name: "dead letters", query: () => ({ dead_letter: "true" }), target: STATUS },
  { name: "containment: one run", query: (n) => containing({ order_id: `ord_${some(n)}` }), target: SELECTIVE },
  {
    name: `containment: one of ${CUSTOMERS.toLocaleString("en")} customers`,
    query: () => containing({ customer: { id: some(CUSTOMERS) } }),
    target: SELECTIVE,
  },
  { name: "containment: no run", query: () => containing({ order_id: `none_${some(1e9)}` }), target: SELECTIVE },
  { name: "containment: every third run", query: () => containing({ currency: "eur" }), target: SELECTIVE },
  { name: "tag region:eu", query: () => ({ tag: "region:eu" }), target: SELECTIVE },
  { name: "a tag of 1,000 old runs", query: () => ({ tag: "campaign:spring" }), target: SELECTIVE },
  { name: "concurrency key", query: () => ({ concurrency_key: `tenant-${some(5_000)}` }), target: SELECTIVE },
  {
    name: "q: status, tag, payload, time",
    query: () => ({ q: 'status:failed,canceled tag:region:eu payload.customer.tier:"gold" since:20d -by:nobody' }),
    target: SELECTIVE,
  },
  { name: "a day ten days ago", query: () => ({ q: "since:11d until:10d status:failed" }), target: SELECTIVE },
  { name: "error text, no run (one bounded page)", query: () => ({ q: 'error:"no such words"' }) },
  { name: "status=failed, page 40", query: () => ({ status: "failed" }), pages: 40, target: STATUS },
  {
    name: "containment: every third run, page 40",
    query: () => containing({ currency: "eur" }),
    pages: 40,
    target: SELECTIVE,
  },
];
