import type { Client } from "@millrace/sdk";
import type picocolors from "picocolors";
import type { ServerLoader } from "./service/server-loader.ts";
import type { Settings } from "./settings/read-settings.ts";

export type Colors = ReturnType<typeof picocolors.createColors>;

export type Format = "human" | "json" | "ndjson";

/** The context that every command receives. */
export type Cli = {
  env: Record<string, string | undefined>;
  cwd: string;
  format: Format;
  /** Writes data to stdout. */
  write: (text: string) => void;
  /** Writes a message to stderr. */
  say: (line: string) => void;
  terminal: Terminal;
  colors: Colors;
  /** Colors for stderr, which may be a terminal when stdout is not. */
  messageColors: Colors;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
  settings: Settings;
  /** Created on first use, since many commands need no client. */
  client: () => Client;
  server: ServerLoader;
  readStdin: () => Promise<string>;
};

type Terminal = {
  /** Whether stdout is a terminal. */
  out: boolean;
  /** Whether stderr is a terminal that shows progress. */
  messages: boolean;
  /** Whether the user can be prompted: false in a pipe or with --no-input. */
  input: boolean;
  columns: number;
  rows: number;
  /** Writes to stderr, for progress output. */
  draw: (text: string) => void;
};
