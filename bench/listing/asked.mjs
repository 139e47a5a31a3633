import { CUSTOMERS } from "./seed-runs.mjs";

const some = (count) => Math.floor(Math.random() * count);
const containing = (value) => ({ payload_contains: JSON.stringify(value) });
const SELECTIVE = "p95 ≤ 50";
const STATUS = "p95 ≤ 20";

/** What is asked for; `query(n)` gives another each time. `pages`: that many pages on by cursor, of which the last counts. */
export const ASKED = [
  { name: "all runs", query: () => ({}), least: STATUS },
  { name: "status=completed", query: () => ({ status: "completed" }), least: STATUS },
  { name: "status=failed (2 %)", query: () => ({ status: "failed" }), least: STATUS },
  { name: "status=canceled (1 in 5,000)", query: () => ({ status: "canceled" }), least: STATUS },
  { name: "status=paused (1 in 10,000)", query: () => ({ status: "paused" }), least: STATUS },
  { name: "dead letters", query: () => ({ dead_letter: "true" }), least: STATUS },
  { name: "containment: one run", query: (n) => containing({ order_id: `ord_${some(n)}` }), least: SELECTIVE },
  {
    name: `containment: one of ${CUSTOMERS.toLocaleString("en")} customers`,
    query: () => containing({ customer: { id: some(CUSTOMERS) } }),
    least: SELECTIVE,
  },
  { name: "containment: no run", query: () => containing({ order_id: `none_${some(1e9)}` }), least: SELECTIVE },
  { name: "containment: every third run", query: () => containing({ currency: "eur" }), least: SELECTIVE },
  { name: "tag region:eu", query: () => ({ tag: "region:eu" }), least: SELECTIVE },
  { name: "a tag of 1,000 old runs", query: () => ({ tag: "campaign:spring" }), least: SELECTIVE },
  { name: "concurrency key", query: () => ({ concurrency_key: `tenant-${some(5_000)}` }), least: SELECTIVE },
  {
    name: "q: status, tag, payload, time",
    query: () => ({ q: 'status:failed,canceled tag:region:eu payload.customer.tier:"gold" since:20d -by:nobody' }),
    least: SELECTIVE,
  },
  { name: "a day ten days ago", query: () => ({ q: "since:11d until:10d status:failed" }), least: SELECTIVE },
  { name: "error text, no run (one bounded page)", query: () => ({ q: 'error:"no such words"' }) },
  { name: "status=failed, page 40", query: () => ({ status: "failed" }), pages: 40, least: STATUS },
  {
    name: "containment: every third run, page 40",
    query: () => containing({ currency: "eur" }),
    pages: 40,
    least: SELECTIVE,
  },
];
