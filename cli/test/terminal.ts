import { spawn } from "@lydell/node-pty";
import { whenFileEnds } from "../../server/test/world/end-of-file.ts";
import { until } from "../../server/test/world/until.ts";
import { cleanEnv, newFolder, program } from "./run-millrace.ts";

type TerminalOptions = { env?: Record<string, string>; cwd?: string; columns?: number; rows?: number };

export type Terminal = {
  /** Everything that was written, including escape sequences. */
  raw: () => string;
  /** The same without escape sequences. */
  text: () => string;
  type: (keys: string) => void;
  shows: (text: string | RegExp) => Promise<void>;
  ended: Promise<number>;
};

const TIMEOUT_MS = 20_000;

/** Runs `millrace <args>` in a real pseudo-terminal, where keys can be typed. */
export async function millraceInTerminal(args: readonly string[], options: TerminalOptions = {}): Promise<Terminal> {
  const { env = {}, cwd = newFolder(), columns = 160, rows = 40 } = options;
  const child = spawn(process.execPath, [await program(), ...args], {
    name: "xterm-256color",
    cols: columns,
    rows,
    cwd,
    env: cleanEnv(env),
  });
  let output = "";
  child.onData((text) => {
    output += text;
  });
  let isOver = false;
  const ended = new Promise<number>((tell) =>
    child.onExit(({ exitCode }) => {
      isOver = true;
      tell(exitCode);
    }),
  );
  whenFileEnds(async () => {
    if (!isOver) child.kill("SIGKILL");
  });
  const text = () => withoutEscapes(output);
  return {
    raw: () => output,
    text,
    type: (keys) => child.write(keys),
    shows: async (wanted) => {
      await until(`the terminal to show ${wanted}, not ${JSON.stringify(text())}`, TIMEOUT_MS, () =>
        typeof wanted === "string" ? text().includes(wanted) : wanted.test(text()),
      );
    },
    ended,
  };
}

/** The text as people read it. */
export function withoutEscapes(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: matches escape sequences to remove them
  return text.replaceAll(/\x1b\[[0-9;?]*[A-Za-z]/g, "").replaceAll("\r\n", "\n");
}
