import { connect } from "node:net";

/**
 * Sends triggers over plain sockets, each with at most one request in flight, at a rate that does not depend on the
 * responses (`perSec`), or on each connection as fast as it is answered. Prints statuses and times as JSON.
 */
const { port, path, key, secs, perSec, connections } = JSON.parse(process.argv[2] ?? "{}");

const body = '{"payload":{}}';
const REQUEST = Buffer.from(
  `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${key}\r\n` +
    `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
);
/** Ends of a response: its head names the length of its body. */
const LENGTH = /content-length: (\d+)/i;

const idle = [];
/** Milliseconds by status; 0: the connection was closed without a response. */
const times = new Map();
let [opened, sent, unsent] = [0, 0, 0];
let isOver = false;

function open() {
  opened++;
  const socket = connect(port, "127.0.0.1");
  const state = { socket, sentAt: 0, received: "" };
  socket.setNoDelay(true);
  socket.setEncoding("latin1");
  socket.on("data", (chunk) => receive(state, chunk));
  socket.on("error", () => {});
  socket.on("close", () => {
    opened--;
    if (state.sentAt > 0) record(0, state);
    state.isClosed = true;
  });
  return state;
}

function send(state) {
  sent++;
  state.sentAt = performance.now();
  state.received = "";
  state.socket.write(REQUEST);
}

function receive(state, chunk) {
  state.received += chunk;
  const end = state.received.indexOf("\r\n\r\n");
  if (end < 0 || state.received.length < end + 4 + Number(LENGTH.exec(state.received)?.[1] ?? 0)) return;
  record(Number(state.received.slice(9, 12)), state);
  if (perSec === undefined && !isOver) send(state);
  else idle.push(state);
}

function record(status, state) {
  const list = times.get(status) ?? [];
  times.set(status, list);
  list.push(performance.now() - state.sentAt);
  state.sentAt = 0;
}

function nextIdle() {
  for (let state = idle.pop(); state; state = idle.pop()) if (!state.isClosed) return state;
  return opened < connections ? open() : undefined;
}

const startedAt = performance.now();
if (perSec === undefined) for (let nth = 0; nth < connections; nth++) send(open());
const timer = setInterval(() => {
  const passed = (performance.now() - startedAt) / 1_000;
  if (passed >= secs) return finish();
  if (perSec === undefined) return;
  for (let due = passed * perSec - sent - unsent; due > 0; due--) {
    const state = nextIdle();
    if (state) send(state);
    else unsent++;
  }
}, 2);

function finish() {
  clearInterval(timer);
  isOver = true;
  const took = (performance.now() - startedAt) / 1_000;
  const atEnd = [...times].map(([status, list]) => [status, list.length]);
  // What is in flight is answered, but counts for no rate.
  setTimeout(() => {
    const statuses = Object.fromEntries([...times].map(([status, list]) => [status, figuresOf(list)]));
    const inTime = Object.fromEntries(atEnd);
    process.stdout.write(JSON.stringify({ secs: took, sent, unsent, inTime, statuses }), () => process.exit());
  }, 3_000);
}

function figuresOf(list) {
  const sorted = list.toSorted((a, b) => a - b);
  const at = (share) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), max: at(1) };
}
