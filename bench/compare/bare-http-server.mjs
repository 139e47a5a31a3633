import { createServer } from "node:http";
import { openPost } from "./post.mjs";

// Responds to each call immediately and forwards its body to the endpoint.
const ANSWER = '{"ok":true}';
const HEADERS = { "content-type": "application/json", "content-length": ANSWER.length };
const sink = openPost(process.argv[2], { connections: 200 });

let works = false;
let unfinished = 0;

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  let body = "";
  request.setEncoding("latin1");
  request.on("data", (chunk) => {
    body += chunk;
  });
  request.on("end", () => {
    unfinished++;
    response.writeHead(202, HEADERS);
    response.end(ANSWER);
    if (works) sink.post("/", body).then(() => unfinished--);
  });
});

process.on("message", (said) => {
  works = said.works ?? works;
  process.send({ unfinished });
});
process.on("disconnect", () => process.exit());
server.listen(0, "127.0.0.1", () => process.send({ url: `http://127.0.0.1:${server.address().port}` }));
