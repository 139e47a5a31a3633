import { Pool } from "undici";
import { percentiles } from "../compare/percentiles.mjs";

const WARM_UP = 10;

/** Calls one after the other, each with its own question: how long until the whole page has come. */
export async function measure({ url, headers }, { query, pages = 1 }, { n, calls }) {
  const pool = new Pool(url, { connections: 1 });
  const took = [];
  let rows = 0;
  for (let call = -WARM_UP; call < calls; call++) {
    const asked = await turnTo(pool, headers, query(n), pages);
    const startedAt = performance.now();
    const { data } = await get(pool, headers, asked);
    if (call >= 0) took.push(performance.now() - startedAt);
    rows = data.length;
  }
  await pool.close();
  return { ms: percentiles(took), rows };
}

/** The question that gives the page so many pages on, or the last there is. The way there is remembered. */
async function turnTo(pool, headers, query, pages) {
  const key = JSON.stringify([query, pages]);
  if (ways.has(key)) return ways.get(key);
  let asked = query;
  for (let page = 1; page < pages; page++) {
    const { next_cursor: cursor } = await get(pool, headers, asked);
    if (!cursor) break;
    asked = { ...query, cursor };
  }
  if (pages > 1) ways.set(key, asked);
  return asked;
}

const ways = new Map();

async function get(pool, headers, query) {
  const path = `/v1/runs?${new URLSearchParams(query)}`;
  const { statusCode, body } = await pool.request({ method: "GET", path, headers });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`${JSON.stringify(query)} answered ${statusCode}: ${text.slice(0, 300)}`);
  return JSON.parse(text);
}
