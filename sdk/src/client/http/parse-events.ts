/**
 * An event of a stream.
 *
 * @example
 * const print = ({ id, event, data }: StreamEvent) => console.log(id, event, data);
 * for await (const event of client.topics.stream({ topics: "runs" })) print(event);
 */
export type StreamEvent<T = unknown> = {
  /** Pass it as `lastEventId` to continue after this event. */
  id: string | undefined;
  event: string;
  /** Parsed JSON, or the raw text if it is not JSON. */
  data: T;
};

/** Parses server-sent events from a stream of bytes. Events without data only carry an id. */
export async function* parseEvents(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<Partial<StreamEvent>, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const blocks = `${rest}${decoder.decode(value, { stream: true })}`.split(/\r?\n\r?\n/);
      rest = blocks.pop() ?? "";
      for (const block of blocks) yield readBlock(block);
    }
  } finally {
    // Closes the connection when the consumer stops reading.
    await reader.cancel().catch(() => {});
  }
}

function readBlock(block: string): Partial<StreamEvent> {
  const found: Partial<StreamEvent> = {};
  const data: string[] = [];
  for (const line of block.split(/\r?\n/)) {
    const [, name, value = ""] = /^([^:]+)(?:: ?(.*))?$/.exec(line) ?? [];
    if (name === "id") found.id = value;
    if (name === "event") found.event = value;
    if (name === "data") data.push(value);
  }
  if (data.length > 0) found.data = parsed(data.join("\n"));
  return found;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
