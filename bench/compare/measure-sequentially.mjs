import { Pool } from "undici";
import { percentiles } from "./percentiles.mjs";

const WARM_UP = 10;

/**
 * Makes sequential calls to the paths returned by `nextPath`. Returns the time to the full response for each, and the
 * last response.
 */
export async function measureSequentially({ url, headers }, nextPath, calls) {
  const pool = new Pool(url, { connections: 1 });
  const get = (path) => getText(pool, path, headers);
  const took = [];
  let text = "";
  for (let call = -WARM_UP; call < calls; call++) {
    const path = await nextPath(get);
    const startedAt = performance.now();
    text = await get(path);
    if (call >= 0) took.push(performance.now() - startedAt);
  }
  await pool.close();
  return { ms: percentiles(took), text };
}

async function getText(pool, path, headers) {
  const { statusCode, body } = await pool.request({ method: "GET", path, headers });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`${path} returned ${statusCode}: ${text.slice(0, 300)}`);
  return text;
}
