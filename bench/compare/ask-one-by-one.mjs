import { Pool } from "undici";
import { percentiles } from "./percentiles.mjs";

const WARM_UP = 10;

/** Calls one after the other, each of the path that `nextPath` gives: how long until the whole answer has come, and the last one. */
export async function askOneByOne({ url, headers }, nextPath, calls) {
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
  if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}: ${text.slice(0, 300)}`);
  return text;
}
