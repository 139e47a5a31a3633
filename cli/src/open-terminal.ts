import type { ReadStream, WriteStream } from "node:tty";
import picocolors from "picocolors";
import type { Cli } from "./cli.ts";

export type Streams = { in: ReadStream; out: WriteStream; err: WriteStream };

type Opened = Pick<Cli, "terminal" | "colors" | "messageColors" | "readStdin">;

/** Detects terminals: they get colors and live output, pipes get plain text. */
export function openTerminal(streams: Streams, env: Cli["env"], mayColor: boolean): Opened {
  const isDumb = env.TERM === "dumb";
  const colorsFor = (stream: WriteStream) =>
    picocolors.createColors(
      mayColor && !env.NO_COLOR && (Boolean(env.FORCE_COLOR) || (Boolean(stream.isTTY) && !isDumb)),
    );
  return {
    colors: colorsFor(streams.out),
    messageColors: colorsFor(streams.err),
    terminal: {
      out: Boolean(streams.out.isTTY),
      messages: Boolean(streams.err.isTTY) && !isDumb,
      input: Boolean(streams.in.isTTY) && Boolean(streams.err.isTTY),
      columns: streams.out.columns ?? 80,
      rows: streams.out.rows ?? 24,
      draw: (text) => void streams.err.write(text),
    },
    readStdin: () => readAll(streams.in),
  };
}

async function readAll(stream: ReadStream): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString("utf8");
}
