import { randomUUID } from "node:crypto";
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { statusOf } from "@millrace/contract/error-codes";
import type { Ctx } from "../platform/context.ts";
import { Refusal } from "../platform/errors.ts";
import { presentProblem, problemHeaders } from "./problem.ts";
import { localUrl } from "./schema-link.ts";

type ReadError = Error & { code?: string };

/** Answers what is no HTTP request: there is no route, no hook and no reply yet, so the bytes are written here. */
export function answerUnreadable(ctx: Ctx, error: ReadError, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable || isAnswering(socket)) return void socket.destroy();
  const refusal = refusalOf(error);
  const status = statusOf(refusal.code);
  const request_id = randomUUID();
  const $schema = `${ctx.config.public_url ?? localUrl(socket)}/schemas/Problem.json`;
  const body = JSON.stringify(presentProblem(refusal, { $schema, instance: "", request_id, status }));
  const headers = {
    ...problemHeaders(refusal, request_id),
    "content-length": Buffer.byteLength(body),
    connection: "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`);
}

function refusalOf({ code }: ReadError): Refusal {
  if (code === "HPE_HEADER_OVERFLOW") {
    return new Refusal("headers_too_large", "The address and headers are larger than 16 KB.");
  }
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return new Refusal("bad_request", "The request did not arrive in time.");
  return new Refusal("bad_request", "This cannot be read as an HTTP request.");
}

/** Whether the head of another answer has gone out on this connection: ours would be taken for its body. */
function isAnswering(socket: Socket): boolean {
  return (socket as { _httpMessage?: { headersSent: boolean } | null })._httpMessage?.headersSent === true;
}
