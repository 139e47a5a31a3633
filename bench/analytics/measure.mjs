import { Pool } from "undici";
import { percentiles } from "../compare/percentiles.mjs";

const WARM_UP = 5;

/** Calls one after the other, each with its own question: how long until the whole answer has come. */
export async function measure({ url, headers }, { path, query }, { calls }) {
  const pool = new Pool(url, { connections: 1 });
  const took = [];
  let bytes = 0;
  for (let call = -WARM_UP; call < calls; call++) {
    const asked = `/v1/analytics/${path}?${new URLSearchParams(query())}`;
    const startedAt = performance.now();
    const { statusCode, body } = await pool.request({ method: "GET", path: asked, headers });
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`${asked} answered ${statusCode}: ${text.slice(0, 300)}`);
    if (call >= 0) took.push(performance.now() - startedAt);
    bytes = text.length;
  }
  await pool.close();
  return { ms: percentiles(took), kb: Math.round(bytes / 1_024) };
}
