import http from "node:http";
import net from "node:net";

const MAX_WAIT_MS = 120_000;

/** Starts one receiver that responds immediately, and many hosts that accept connections and never respond. */
export async function startReceivers(dead) {
  let turn = { left: 0, delays: [], done: () => {} };
  const good = http.createServer((request, response) => {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      response.end();
      note(JSON.parse(Buffer.concat(chunks).toString("utf8")));
    });
  });
  const silent = net.createServer((socket) => socket.on("error", () => {}).resume());
  const goodPort = await listen(good, "127.0.0.1");
  const deadPort = await listen(silent, "0.0.0.0");

  function note({ data }) {
    turn.delays.push(performance.timeOrigin + performance.now() - data.payload.sent_at);
    if (--turn.left === 0) turn.done();
  }

  /** Resolves with the delays of the next n webhooks. */
  function expect(n) {
    return new Promise((resolve, reject) => {
      const delays = [];
      const giveUp = setTimeout(() => reject(new Error(`${delays.length} of ${n} webhooks arrived`)), MAX_WAIT_MS);
      const done = () => {
        clearTimeout(giveUp);
        resolve(delays);
      };
      turn = { left: n, delays, done };
    });
  }

  const host = (nth) => `127.0.${1 + Math.floor(nth / 250)}.${1 + (nth % 250)}`;
  return {
    goodUrl: `http://127.0.0.1:${goodPort}/`,
    deadUrls: Array.from({ length: dead }, (_, nth) => `http://${host(nth)}:${deadPort}/`),
    expect,
  };
}

function listen(server, host) {
  return new Promise((resolve) => server.listen(0, host, () => resolve(server.address().port)));
}
