import type { ErrorCode } from "@millrace/contract/error-codes";
import type { FastifyInstance } from "fastify";
import { Refusal } from "../platform/errors.ts";
import type { JsonProblem } from "../platform/json/json-problem.ts";
import { parseJson } from "../platform/json/parse-json.ts";
import { beginWork, letOthersIn } from "../platform/time-slices.ts";
import { passedBound } from "./number-bound.ts";
import { isLarge, noteSize } from "./validators.ts";

const CODES: Record<JsonProblem["kind"], ErrorCode> = {
  malformed: "bad_request",
  text: "invalid_text",
  number: "number_out_of_range",
  shape: "payload_too_complex",
  repeated: "duplicate_key",
};

/** Bodies are JSON, read strictly: what could not be kept as it was sent is refused with its place. */
export function acceptJsonOnly(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(/^application\/json\s*(;|$)/i, { parseAs: "buffer" }, (request, body, done) => {
    if (request.headers["content-encoding"] && request.headers["content-encoding"] !== "identity") {
      return done(new Refusal("unsupported_media_type", "Compressed bodies are not accepted."));
    }
    if (request.routeOptions.config.row?.signed) request.rawBody = body as Buffer;
    // An empty body is no body: a POST whose fields are all optional may say nothing.
    if (body.length === 0) return done(null, undefined);
    beginWork();
    const parsed = parseJson(body as Buffer);
    if (parsed.ok) {
      noteSize(parsed.value, body.length);
      if (!isLarge(parsed.value)) return done(null, parsed.value);
      // A megabyte takes tens of milliseconds to read, and as many to validate.
      return void letOthersIn().then(() => done(null, parsed.value));
    }
    const { kind, location, value } = parsed.problem;
    const bound =
      kind === "number" ? passedBound(request.routeOptions.config.row?.body, location, String(value)) : undefined;
    const message = bound ?? parsed.problem.message;
    done(
      new Refusal(CODES[kind], `${location}: ${message}`, { errors: [{ location, message, value: value ?? null }] }),
    );
  });
}
