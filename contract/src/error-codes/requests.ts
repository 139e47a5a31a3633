import type { ErrorCodeEntry } from "./entry.ts";

/** The request itself: syntax, validation and lookup. */
export const REQUEST_CODES = {
  bad_request: {
    status: 400,
    title: "Bad request",
    meaning: "The request cannot be parsed: malformed JSON, an invalid path or an invalid parameter.",
    remedy: "Correct the request as described in `detail`. Repeating it unchanged gives the same error.",
  },
  invalid_text: {
    status: 400,
    title: "Text cannot be stored",
    meaning: "A string contains a NUL character or an unpaired surrogate, which PostgreSQL cannot store.",
    remedy: "Remove the character at the location given in `errors`.",
  },
  duplicate_key: {
    status: 400,
    title: "Duplicate key",
    meaning: "An object in the body contains a key twice, and JSON parsers disagree on which value counts.",
    remedy: "Send each key once. `errors` gives the location of the second one.",
  },
  invalid_cursor: {
    status: 400,
    title: "Invalid cursor",
    meaning: "The cursor was not issued by this service for this list and these filters.",
    remedy: "Start again without `cursor`, and keep the filters unchanged while paging.",
  },
  not_found: {
    status: 404,
    title: "Not found",
    meaning: "The project has no such object, or the path does not exist.",
    remedy: "Check the id, and which project the credential belongs to.",
  },
  method_not_allowed: {
    status: 405,
    title: "Method not allowed",
    meaning: "The path exists but does not support this method.",
    remedy: "Use one of the methods in the `Allow` header.",
  },
  idempotency_conflict: {
    status: 409,
    title: "Idempotency key used for another request",
    meaning: "The key was used within the last 24 hours for a trigger with different content.",
    remedy: "Use a new key for a new request. Repeat the first request unchanged to get its run.",
  },
  conflict: {
    status: 409,
    title: "Conflict",
    meaning: "The object's state does not allow this, or another request changed it at the same time.",
    remedy: "Read the object again, then decide whether to repeat the request.",
  },
  payload_too_large: {
    status: 413,
    title: "Payload too large",
    meaning: "The body exceeds the size limit (`MAX_BODY_BYTES`).",
    remedy: "Send less data, or store it elsewhere and send its URL.",
  },
  uri_too_long: {
    status: 414,
    title: "URI too long",
    meaning: "A path segment is longer than 6,144 characters.",
    remedy: "Shorten it. Event keys have at most 512 characters.",
  },
  unsupported_media_type: {
    status: 415,
    title: "Unsupported media type",
    meaning: "The body must be uncompressed `application/json`.",
    remedy: "Send `Content-Type: application/json`.",
  },
  validation_failed: {
    status: 422,
    title: "Validation failed",
    meaning:
      "The request is well formed but does not match its schema. `errors` lists every problem with its location.",
    remedy: "Correct each location. The reference at `/docs/api` shows the schema.",
  },
  project_required: {
    status: 422,
    title: "Project required",
    meaning: "The internal secret works for every project, so the request must name one.",
    remedy: "Add `?project_id=`, the header `X-Project-Id`, or `project_id` in the body.",
  },
  number_out_of_range: {
    status: 422,
    title: "Number cannot be represented exactly",
    meaning: "The number would be rounded. Integers are exact up to 9,007,199,254,740,991.",
    remedy:
      "Inside a payload, send it as a string. Fields with a numeric range accept no strings; the message names the range.",
  },
  payload_too_complex: {
    status: 422,
    title: "Payload too complex",
    meaning: "The JSON is nested too deeply, has too many values, or has a key that is too long or reserved.",
    remedy: "Simplify the payload. The limits are 64 levels, 50,000 values and keys of 256 bytes.",
  },
  read_only_field: {
    status: 422,
    title: "Read-only field",
    meaning: "The body changes a field that only the service can write.",
    remedy: "Omit the field or send it unchanged. If it differs because of another write, read the object again first.",
  },
  headers_too_large: {
    status: 431,
    title: "Headers too large",
    meaning: "The request line and headers together exceed 16 KB.",
    remedy: "Send fewer or shorter headers.",
  },
} as const satisfies Record<string, ErrorCodeEntry>;
