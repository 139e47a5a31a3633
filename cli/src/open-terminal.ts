import type { ReadStream, WriteStream } from "node:tty";
import picocolors from "picocolors";
import type { Cli } from "./cli.ts";

export type Streams = { in: ReadStream; out: WriteStream; err: WriteStream };

type Wanted = { mayColor: boolean; mayAsk: boolean; mayReport: boolean };
type Opened = Pick<Cli, "terminal" | "colors" | "messageColors" | "readStdin">;

/** Detects terminals: they get colors and live output, pipes get plain text. */
export function openTerminal(streams: Streams, env: Cli["env"], wanted: Wanted): Opened {
  const isDumb = env.TERM === "dumb";
  const colorsFor = (stream: WriteStream) =>
    picocolors.createColors(
      wanted.mayColor && !env.NO_COLOR && (Boolean(env.FORCE_COLOR) || (Boolean(stream.isTTY) && !isDumb)),
    );
  return {
    colors: colorsFor(streams.out),
    messageColors: colorsFor(streams.err),
    terminal: {
      out: Boolean(streams.out.isTTY),
      messages: wanted.mayReport && Boolean(streams.err.isTTY) && !isDumb,
      input: wanted.mayAsk && Boolean(streams.in.isTTY) && Boolean(streams.err.isTTY),
      // Read each time, since windows are resized. 0 where the terminal does not know its size.
      get columns() {
        return streams.out.columns || streams.err.columns || 80;
      },
      get rows() {
        return streams.out.rows || 24;
      },
      draw: (text) => void streams.err.write(text),
    },
    // With --no-input, reading from a terminal would prompt, too.
    readStdin: async () => (streams.in.isTTY && !wanted.mayAsk ? "" : readAll(streams.in)),
  };
}

async function readAll(stream: ReadStream): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString("utf8");
}
