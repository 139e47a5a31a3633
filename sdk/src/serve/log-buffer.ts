import { ApiError } from "../client/http/api-error.ts";
import type { Logger, LogLevel } from "./run-context.ts";
import type { Session } from "./session.ts";

type Line = { level: LogLevel; message: string; fields?: Record<string, unknown>; logged_at: string };

const FLUSH_EVERY_MS = 1_000;
const MAX_LINES = 1_000;
const MAX_MESSAGE_LENGTH = 16_000;

export type LogBuffer = { log: Logger; flush: () => Promise<void> };

/** Buffers log lines and sends them every second, at 1,000 lines, and before the attempt ends. */
export function openLogBuffer(session: Session): LogBuffer {
  let lines: Line[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    while (lines.length > 0) {
      const batch = lines.slice(0, MAX_LINES);
      lines = lines.slice(MAX_LINES);
      await sendLines(session, batch);
    }
  }
  function write(level: LogLevel, message: string, fields?: Record<string, unknown>): void {
    lines.push({ level, message: storable(message), logged_at: new Date().toISOString(), ...fieldsOf(fields) });
    const isFull = lines.length >= MAX_LINES;
    if (isFull) void session.track(flush());
    else timer ??= setTimeout(() => void session.track(flush()), FLUSH_EVERY_MS);
  }
  const log: Logger = {
    debug: (message, fields) => write("debug", message, fields),
    info: (message, fields) => write("info", message, fields),
    warn: (message, fields) => write("warn", message, fields),
    error: (message, fields) => write("error", message, fields),
  };
  return { log, flush };
}

/** Logging never fails a job: rejected lines are sent without their fields, or dropped. */
async function sendLines(session: Session, logs: Line[]): Promise<void> {
  try {
    await session.post("/log", { logs });
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500 || error.status === 429) return;
    const plain = logs.map(({ fields, ...line }) =>
      fields ? { ...line, fields: { text: JSON.stringify(fields) } } : line,
    );
    await session.post("/log", { logs: plain }).catch(() => {});
  }
}

function storable(message: unknown): string {
  return String(message).slice(0, MAX_MESSAGE_LENGTH).replaceAll("\u0000", "\ufffd").toWellFormed();
}

/** A value that JSON cannot represent must not lose the line. */
function fieldsOf(fields: Record<string, unknown> | undefined): { fields?: Record<string, unknown> } {
  if (!fields) return {};
  try {
    return { fields: JSON.parse(JSON.stringify(fields, errorsToo)) };
  } catch (error) {
    return { fields: { unprintable: String(error) } };
  }
}

function errorsToo(_: string, value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  return value instanceof Error ? { name: value.name, message: value.message, stack: value.stack } : value;
}
