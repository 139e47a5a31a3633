import { measureSequentially } from "../compare/measure-sequentially.mjs";

/** Measures pages of runs with a different query each time. */
export async function measure(service, { query, pages = 1 }, { n, calls }) {
  const { ms, text } = await measureSequentially(service, (get) => turnTo(get, query(n), pages), calls);
  return { ms, rows: JSON.parse(text).data.length };
}

const pathOf = (query) => `/v1/runs?${new URLSearchParams(query)}`;
const ways = new Map();

/** The path of a later page, or of the last one. Cursors are cached. */
async function turnTo(get, query, pages) {
  if (pages === 1) return pathOf(query);
  const first = pathOf(query);
  if (!ways.has(first)) ways.set(first, await walkTo(get, query, pages));
  return ways.get(first);
}

async function walkTo(get, query, pages) {
  let path = pathOf(query);
  for (let page = 1; page < pages; page++) {
    const { next_cursor: cursor } = JSON.parse(await get(path));
    if (!cursor) break;
    path = pathOf({ ...query, cursor });
  }
  return path;
}
