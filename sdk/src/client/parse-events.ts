export type StreamEvent<T = unknown> = {
  /** Send it back to go on behind this event. */
  id: string | undefined;
  event: string;
  /** Parsed JSON; text that is none stays text. */
  data: T;
};

/** Server-sent events from the bytes of a body, as they come. An event without data tells its id alone. */
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
    // Whoever stops reading closes the connection.
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
