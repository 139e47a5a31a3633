import { createServer } from "node:http";
import { setTimeout as pause } from "node:timers/promises";

const WITHIN_MS = 120_000;
const QUIET_MS = 1_500;

/** Receives what drains send, and counts the spans without a parent: one for each trace. */
export async function startCollector() {
  let roots = 0;
  let expected = 0;
  const total = { requests: 0, bytes: 0 };
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    total.requests++;
    total.bytes += body.length;
    const { resourceSpans = [] } = JSON.parse(body.toString("utf8"));
    const spans = resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((each) => each.spans));
    roots += spans.filter(({ parentSpanId }) => parentSpanId === undefined).length;
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));

  async function createDrain({ url, apiKey }, signal = "traces") {
    const response = await fetch(`${url}/v1/log-drains`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ name: "Bench", url: `http://127.0.0.1:${server.address().port}`, signal }),
    });
    if (response.status >= 300) throw new Error(await response.text());
  }

  /** Spans of earlier work have arrived: nothing has come for a while. */
  async function expectRoots(count) {
    for (let before = -1; before !== roots; await pause(QUIET_MS)) before = roots;
    expected = roots + count;
  }

  async function untilReceived() {
    const giveUpAt = performance.now() + WITHIN_MS;
    while (roots < expected) {
      if (performance.now() > giveUpAt) throw new Error(`${expected - roots} traces did not arrive`);
      await pause(20);
    }
  }

  const received = () => ({ ...total });
  return { createDrain, expectRoots, untilReceived, received, close: () => server.close() };
}
