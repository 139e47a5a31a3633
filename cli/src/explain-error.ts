import { printableText } from "@millrace/contract/schema/printable-text";
import { ApiError, MillraceError, NetworkError } from "@millrace/sdk";
import type { Cli } from "./cli.ts";
import { CommandError } from "./command-error.ts";
import { EXIT_CODES, type ExitName, exitOfHttpStatus } from "./exit-codes.ts";

type ErrorReport = {
  exit: ExitName;
  code: string;
  message: string;
  lines: string[];
  status?: number;
  request_id?: string;
};

/** Formats an error with hints for stderr, as one JSON line if the output is JSON, and picks the exit code. */
export function explainError(
  cli: Pick<Cli, "format" | "messageColors" | "settings">,
  error: unknown,
): ErrorReport & { text: string } {
  const report = describe(cli, error);
  const { exit, lines, ...rest } = report;
  if (cli.format !== "human") {
    const body = { ...rest, hints: lines, exit_code: EXIT_CODES[exit].code };
    return { ...report, text: `${JSON.stringify({ error: body })}\n` };
  }
  const { red, dim } = cli.messageColors;
  const head = `${red("✗")} ${printableText(report.message)}\n`;
  return { ...report, text: head + lines.map((line) => `  ${dim(printableText(line))}\n`).join("") };
}

function describe(cli: Pick<Cli, "settings">, error: unknown): ErrorReport {
  if (error instanceof CommandError) {
    return { exit: error.exit, code: error.exit, message: error.message, lines: [...error.hints] };
  }
  if (error instanceof ApiError) return describeApiError(cli, error);
  if (error instanceof NetworkError) return describeNetworkError(cli, error);
  if (error instanceof MillraceError) {
    return { exit: "failure", code: error.code, message: error.message, lines: [] };
  }
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { exit: "failure", code: "unexpected", message: `Unexpected error in millrace: ${stack}`, lines: [] };
}

function describeApiError(cli: Pick<Cli, "settings">, error: ApiError): ErrorReport {
  const fields = error.fields
    .filter(({ message }) => message !== error.message)
    .map(({ location, message }) => `${location}: ${message}`)
    .filter((line) => !error.message.startsWith(line)); // the first of several is also the message
  return {
    exit: exitOfHttpStatus(error.status),
    code: error.code,
    message: error.message,
    status: error.status,
    ...(error.requestId !== undefined && { request_id: error.requestId }),
    lines: [
      ...fields,
      ...(error.status === 401 ? [keyHint(cli)] : []),
      ...(error.retryAfterSecs !== undefined ? [`Retry in ${Math.ceil(error.retryAfterSecs)} s.`] : []),
      `${error.code} (${error.status})${error.requestId === undefined ? "" : ` · request ${error.requestId}`}`,
      `${cli.settings.baseUrl.value}/docs/errors/${error.code}`,
    ],
  };
}

function keyHint({ settings }: Pick<Cli, "settings">): string {
  if (!settings.apiKey) return "No API key was found: set MILLRACE_API_KEY, or run `millrace login`.";
  return `The API key comes from: ${settings.apiKey.source}. Run \`millrace login\` to save another.`;
}

function describeNetworkError({ settings }: Pick<Cli, "settings">, error: NetworkError): ErrorReport {
  const { value, source } = settings.baseUrl;
  return {
    exit: "failure",
    code: error.code,
    message: `The service at ${value} cannot be reached (${reasonOf(error)}).`,
    lines: [`The URL comes from: ${source}. Start a service with \`millrace dev\`, or select one with --base-url.`],
  };
}

function reasonOf(error: NetworkError): string {
  const { cause } = (error.cause ?? {}) as { cause?: { code?: string; message?: string } };
  return cause?.code || cause?.message || error.message;
}
