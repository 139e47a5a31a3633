import { randomUUID } from "node:crypto";
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { statusOf } from "@millrace/contract/error-codes/all-codes";
import type { Ctx } from "../../platform/context.ts";
import { ApiError } from "../../platform/errors/errors.ts";
import { presentProblem, problemHeaders } from "./problem.ts";
import { localUrl } from "./schema-link.ts";

type ReadError = Error & { code?: string };

/** Responds to invalid HTTP: there is no route, hook or reply yet, so the bytes are written here. */
export function sendBadRequest(ctx: Ctx, error: ReadError, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable || hasSentHeaders(socket)) return void socket.destroy();
  const apiError = apiErrorOf(error);
  const status = statusOf(apiError.code);
  const request_id = randomUUID();
  const $schema = `${ctx.config.public_url ?? localUrl(socket)}/schemas/Problem.json`;
  const body = JSON.stringify(presentProblem(apiError, { $schema, instance: "", request_id, status }));
  const headers = {
    ...problemHeaders(apiError, request_id),
    "content-length": Buffer.byteLength(body),
    connection: "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`);
}

function apiErrorOf({ code }: ReadError): ApiError {
  if (code === "HPE_HEADER_OVERFLOW") {
    return new ApiError("headers_too_large", "The URL and the headers are larger than 16 KB.");
  }
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return new ApiError("bad_request", "The request did not arrive in time.");
  return new ApiError("bad_request", "This is not a valid HTTP request.");
}

/** Whether the headers of another response were already sent on this connection: ours would be read as its body. */
function hasSentHeaders(socket: Socket): boolean {
  return (socket as { _httpMessage?: { headersSent: boolean } | null })._httpMessage?.headersSent === true;
}
