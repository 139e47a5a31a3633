import { Agent, type IncomingMessage, request } from "node:http";
import { until } from "../world/until.ts";

// biome-ignore lint/suspicious/noExplicitAny: a test names the fields it is about, and fails when they are not there
type StreamEvent = { event: string; data: any; id?: string };

export type ReadStream = {
  status: number;
  headers: Record<string, string>;
  events: StreamEvent[];
  /** Resolves with the first event of the name that satisfies the condition. */
  next: (event: string, accept?: (data: StreamEvent["data"]) => boolean) => Promise<StreamEvent["data"]>;
  hasEnded: () => boolean;
  ended: () => Promise<unknown>;
  close: () => void;
  /** Stops reading: later events stay unread. */
  pause: () => void;
};

const agent = new Agent({ keepAlive: false, maxSockets: 2_000 });

/** Reads server-sent events over real HTTP. Returns once the headers have arrived. */
export function readStream(url: string, path: string, headers: Record<string, string> = {}): Promise<ReadStream> {
  return new Promise((resolve, reject) => {
    const sent = request(`${url}${path}`, { headers: { accept: "text/event-stream", ...headers }, agent }, (response) =>
      resolve(listenTo(response, () => sent.destroy())),
    );
    sent.on("error", reject).end();
  });
}

function listenTo(response: IncomingMessage, close: () => void): ReadStream {
  const events: StreamEvent[] = [];
  let rest = "";
  let isOver = false;
  response.setEncoding("utf8");
  response.on("data", (chunk: string) => {
    const blocks = `${rest}${chunk}`.split("\n\n");
    rest = blocks.pop() ?? "";
    events.push(...blocks.map(readEvent));
  });
  response.on("close", () => {
    isOver = true;
  });
  response.on("error", () => {});
  return {
    status: response.statusCode ?? 0,
    headers: response.headers as Record<string, string>,
    events,
    next: async (name, accept = () => true) =>
      (await until(`event ${name}`, 20_000, () => events.find((e) => e.event === name && accept(e.data)))).data,
    hasEnded: () => isOver,
    ended: () => until("the end of the stream", 20_000, () => isOver),
    close,
    pause: () => void response.pause(),
  };
}

function readEvent(block: string): StreamEvent {
  const fields = Object.fromEntries(block.split("\n").map((line) => line.split(/: (.*)/s, 2)));
  const id = fields.id === undefined ? {} : { id: fields.id };
  return { event: fields.event ?? "", data: JSON.parse(fields.data ?? "null"), ...id };
}
