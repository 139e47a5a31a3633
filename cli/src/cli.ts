import type { Client } from "@millrace/sdk";
import type picocolors from "picocolors";
import type { ServerDoor } from "./service/server-door.ts";
import type { Settings } from "./settings/read-settings.ts";

export type Colors = ReturnType<typeof picocolors.createColors>;

export type Format = "human" | "json" | "ndjson";

/** What every command is handed first. */
export type Cli = {
  env: Record<string, string | undefined>;
  cwd: string;
  format: Format;
  /** Data, and nothing else. */
  write: (text: string) => void;
  /** A message for people, on stderr. */
  say: (line: string) => void;
  terminal: Terminal;
  colors: Colors;
  /** For stderr, which may be a terminal when stdout is none. */
  messageColors: Colors;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
  settings: Settings;
  /** Made when it is first asked for: many commands need none. */
  client: () => Client;
  server: ServerDoor;
  readStdin: () => Promise<string>;
};

type Terminal = {
  /** Whether stdout is one. */
  out: boolean;
  /** Whether stderr is one. */
  messages: boolean;
  /** Whether somebody can answer a question. */
  input: boolean;
  columns: number;
  rows: number;
  /** Draws on stderr, where progress belongs. */
  draw: (text: string) => void;
};
