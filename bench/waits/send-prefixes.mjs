import { percentiles } from "../compare/percentiles.mjs";
import { OURS } from "../start-millrace.mjs";
import { until } from "./until.mjs";

const SENDS = 20;
const MIN_RESOLVED = 499; // out of 500, one of which may have received its event already

/** Sends events to 500 waits each. Their workflows end before the next one, so that only the send is measured. */
export async function sendPrefixes({ url, headers, client }) {
  const took = [];
  for (let nth = 0; nth < SENDS; nth++) {
    await until("the workflows to end", async () => (await client.query(BUSY)).rowCount === 0);
    const startedAt = performance.now();
    const response = await fetch(`${url}/v1/events/prefix/${encodeURIComponent(`group-${nth}:`)}/send`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify({ payload: {} }),
    });
    const text = await response.text();
    took.push(performance.now() - startedAt);
    if (!(response.ok && JSON.parse(text).resolved >= MIN_RESOLVED))
      throw new Error(`a prefix send returned ${text.slice(0, 300)}`);
  }
  return percentiles(took);
}

const BUSY = `
  (select 1 from run_queue where project_id = ${OURS} limit 1) union all
  (select 1 from step_runs where project_id = ${OURS} and status = 'running' limit 1)`;
