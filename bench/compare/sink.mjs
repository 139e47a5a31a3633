import { createServer } from "node:http";

// The job endpoint of every system: a bare server that responds with 200 and records which orders arrived and when.
// It searches the text instead of parsing it, which costs the same for all systems.
const ANSWER = '{"ok":true}';
const HEADERS = { "content-type": "application/json", "content-length": ANSWER.length };
const ORDER_ID = /"order_id": ?(\d+)/;
const SENT_AT = /"sent_at": ?([\d.]+)/;
/** Steps of a workflow are s0, s1, …; each must arrive once per order. */
const STEP = /"step_ref": ?"s(\d+)"/;

let turn = 0;
let steps = 1;
let seen = new Uint8Array(0);
let received = 0;
let duplicates = 0;
let delays = [];

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  const arrivedAt = performance.timeOrigin + performance.now();
  let body = "";
  request.setEncoding("latin1");
  request.on("data", (chunk) => {
    body += chunk;
  });
  request.on("end", () => {
    note(body, arrivedAt);
    response.writeHead(200, HEADERS);
    response.end(ANSWER);
  });
});

function note(body, arrivedAt) {
  const order = Number(ORDER_ID.exec(body)?.[1]);
  const index = steps === 1 ? order : order * steps + Number(STEP.exec(body)?.[1]);
  if (!(index < seen.length)) return;
  if (seen[index] === 1) {
    duplicates++;
    return;
  }
  seen[index] = 1;
  const sentAt = SENT_AT.exec(body)?.[1];
  if (sentAt) delays.push(arrivedAt - Number(sentAt));
  if (++received === seen.length) reportProgress();
}

function reportProgress() {
  process.send({ turn, received });
}

process.on("message", ({ expect, steps: stepsOfEach, report }) => {
  if (report) process.send({ report: { duplicates, delays } });
  if (expect === undefined) return;
  turn++;
  steps = stepsOfEach;
  seen = new Uint8Array(expect * steps);
  received = 0;
  duplicates = 0;
  delays = [];
});
process.on("disconnect", () => process.exit());
setInterval(reportProgress, 1_000); // lets stalls be detected
server.listen(0, "127.0.0.1", () => process.send({ url: `http://127.0.0.1:${server.address().port}` }));
