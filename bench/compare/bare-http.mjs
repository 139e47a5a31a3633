import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { openPost } from "./post.mjs";

/**
 * No queue at all: a bare server that responds and forwards the body to the endpoint, without storage or
 * authentication. This is the cost of HTTP on this machine, which every HTTP service has.
 */
export async function open({ sinkUrl }) {
  const child = fork(join(import.meta.dirname, "bare-http-server.mjs"), [sinkUrl]);
  const [{ url }] = await once(child, "message");
  const { post, close } = openPost(url, { connections: 128 });
  const ask = async (question) => {
    child.send(question);
    const [response] = await once(child, "message");
    return response.unfinished;
  };
  return {
    version: "bare node:http and undici",
    pids: { service: child.pid },
    enqueue: (payload) => post("/", JSON.stringify({ payload })),
    startWork: () => ask({ works: true }),
    stopWork: () => ask({ works: false }),
    countUnfinished: () => ask({}),
    close: async () => {
      await close();
      child.disconnect();
    },
  };
}
