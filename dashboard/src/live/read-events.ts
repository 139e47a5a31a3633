export type ServerEvent = { event: string; data: string; id: string | undefined };

/**
 * Reads server-sent events from a response until it ends. `onBytes` runs for every chunk, to detect a dead connection.
 */
export async function readEvents(
  body: ReadableStream<Uint8Array>,
  onEvent: (event: ServerEvent) => void,
  onBytes: () => void,
): Promise<void> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let waiting = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    onBytes();
    waiting += value;
    const blocks = waiting.split(/\r?\n\r?\n/);
    waiting = blocks.pop() ?? "";
    for (const block of blocks) {
      const event = parseBlock(block);
      if (event) onEvent(event);
    }
  }
}

function parseBlock(block: string): ServerEvent | undefined {
  const fields: Record<string, string> = {};
  for (const line of block.split(/\r?\n/)) {
    const [, name, value] = /^([a-z]+):? ?(.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) continue;
    fields[name] = fields[name] === undefined ? value : `${fields[name]}\n${value}`;
  }
  if (fields.data === undefined && fields.id === undefined) return undefined;
  return { event: fields.event ?? "message", data: fields.data ?? "", id: fields.id };
}
