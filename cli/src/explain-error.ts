import { ApiError, MillraceError, NetworkError } from "@millrace/sdk";
import type { Cli } from "./cli.ts";
import { CommandError } from "./command-error.ts";
import { EXIT_CODES, type ExitName, exitOfHttpStatus } from "./exit-codes.ts";
import { printableText } from "./output/printable-text.ts";

type Told = { exit: ExitName; code: string; message: string; lines: string[]; status?: number; request_id?: string };

/** Tells on stderr what went wrong and what to do, as one JSON line where output is JSON. Answers how to exit. */
export function explainError(
  cli: Pick<Cli, "format" | "messageColors" | "settings">,
  error: unknown,
): Told & { text: string } {
  const told = tell(cli, error);
  const { exit, lines, ...rest } = told;
  if (cli.format !== "human") {
    const body = { ...rest, hints: lines, exit_code: EXIT_CODES[exit].code };
    return { ...told, text: `${JSON.stringify({ error: body })}\n` };
  }
  const { red, dim } = cli.messageColors;
  const head = `${red("✗")} ${printableText(told.message)}\n`;
  return { ...told, text: head + lines.map((line) => `  ${dim(printableText(line))}\n`).join("") };
}

function tell(cli: Pick<Cli, "settings">, error: unknown): Told {
  if (error instanceof CommandError) {
    return { exit: error.exit, code: error.exit, message: error.message, lines: [...error.hints] };
  }
  if (error instanceof ApiError) return tellRefusal(cli, error);
  if (error instanceof NetworkError) return tellNetwork(cli, error);
  if (error instanceof MillraceError) {
    return { exit: "failure", code: error.code, message: error.message, lines: [] };
  }
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { exit: "failure", code: "unexpected", message: `This is a fault of millrace itself: ${stack}`, lines: [] };
}

function tellRefusal(cli: Pick<Cli, "settings">, error: ApiError): Told {
  const fields = error.fields.filter(({ message }) => message !== error.message);
  return {
    exit: exitOfHttpStatus(error.status),
    code: error.code,
    message: error.message,
    status: error.status,
    ...(error.requestId !== undefined && { request_id: error.requestId }),
    lines: [
      ...fields.map(({ location, message }) => `${location}: ${message}`),
      ...(error.status === 401 ? [keyHint(cli)] : []),
      ...(error.retryAfter !== undefined ? [`Try again in ${Math.ceil(error.retryAfter)} s.`] : []),
      `${error.code} (${error.status})${error.requestId === undefined ? "" : ` · request ${error.requestId}`}`,
      error.docsPage,
    ],
  };
}

function keyHint({ settings }: Pick<Cli, "settings">): string {
  if (!settings.apiKey) return "No key was found: set MILLRACE_API_KEY, or run `millrace login`.";
  return `The key comes from: ${settings.apiKey.source}. \`millrace login\` keeps another.`;
}

function tellNetwork({ settings }: Pick<Cli, "settings">, error: NetworkError): Told {
  const { value, source } = settings.baseUrl;
  return {
    exit: "failure",
    code: error.code,
    message: `The service at ${value} cannot be reached (${reasonOf(error)}).`,
    lines: [`The address comes from: ${source}. Start a service with \`millrace dev\`, or name one with --base-url.`],
  };
}

function reasonOf(error: NetworkError): string {
  const { cause } = (error.cause ?? {}) as { cause?: { code?: string; message?: string } };
  return cause?.code || cause?.message || error.message;
}
