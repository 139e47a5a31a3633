import http from "node:http";

const MAX_WAIT_MS = 120_000;

/** The endpoint of the job, the receiver of webhooks and the reader of the stream, in one process with one clock. */
export async function startObserver() {
  const respondedAt = new Map();
  let turn = newTurn(0, () => {});

  const server = http.createServer((request, response) => {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const body = JSON.parse(Buffer.concat(chunks).toString("utf8"));
      if (request.url === "/job") respondedAt.set(body.run_id, performance.now());
      else note(turn.webhooks, body.data.id);
      response.end("{}");
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${server.address().port}`;

  function note(delays, run_id) {
    delays.push(performance.now() - respondedAt.get(run_id));
    if (turn.webhooks.length === turn.n && turn.events.length === turn.n) turn.done(turn);
  }

  /** Resolves with the delays of the webhooks and of the stream events of the next n runs. */
  function expect(n) {
    return new Promise((resolve, reject) => {
      const giveUp = setTimeout(() => {
        reject(new Error(`${turn.webhooks.length} webhooks and ${turn.events.length} events of ${n} arrived`));
      }, MAX_WAIT_MS);
      turn = newTurn(n, (seen) => {
        clearTimeout(giveUp);
        resolve(seen);
      });
    });
  }

  function openStream({ url: serviceUrl, headers }) {
    return new Promise((resolve, reject) => {
      const options = { headers: { ...headers, accept: "text/event-stream" } };
      const request = http.get(`${serviceUrl}/v1/stream?topics=runs`, options, (response) => {
        let rest = "";
        response.setEncoding("utf8").on("data", (chunk) => {
          const blocks = `${rest}${chunk}`.split("\n\n");
          rest = blocks.pop();
          for (const block of blocks) read(block);
        });
        response.on("error", () => {});
        resolve({ close: () => request.destroy() });
      });
      request.on("error", reject);
    });
  }

  function read(block) {
    if (!/^event: change$/m.test(block)) return;
    const { id, object } = JSON.parse(/^data: (.*)$/m.exec(block)[1]);
    if (object.status === "completed" && respondedAt.has(id)) note(turn.events, id);
  }

  return { jobUrl: `${url}/job`, webhookUrl: `${url}/webhook`, expect, openStream };
}

function newTurn(n, done) {
  return { n, done, webhooks: [], events: [] };
}
