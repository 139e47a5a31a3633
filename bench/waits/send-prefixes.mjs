import { percentiles } from "../compare/percentiles.mjs";
import { OURS } from "../start-millrace.mjs";
import { until } from "./until.mjs";

const SENDS = 20;
const LEAST = 499; // of 500, of which one may have had its event already

/** Events to five hundred waits each. Their workflows go on and end before the next: the send alone is measured. */
export async function sendPrefixes({ url, headers, client }) {
  const took = [];
  for (let nth = 0; nth < SENDS; nth++) {
    await until("the workflows to end", async () => (await client.query(BUSY)).rowCount === 0);
    const startedAt = performance.now();
    const answer = await fetch(`${url}/v1/events/prefix/${encodeURIComponent(`group-${nth}:`)}/send`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify({ payload: {} }),
    });
    const text = await answer.text();
    took.push(performance.now() - startedAt);
    if (!(answer.ok && JSON.parse(text).resolved >= LEAST)) throw new Error(`a prefix answered ${text.slice(0, 300)}`);
  }
  return percentiles(took);
}

const BUSY = `
  (select 1 from run_queue where project_id = ${OURS} limit 1) union all
  (select 1 from step_runs where project_id = ${OURS} and status = 'running' limit 1)`;
