import type { ErrorCodeEntry } from "./entry.ts";

/** The request itself: it cannot be parsed, stored or found. */
export const REQUEST_CODES = {
  bad_request: {
    status: 400,
    title: "Bad request",
    meaning: "The request cannot be parsed: malformed JSON, an invalid path, or an invalid header or parameter.",
    remedy: "Correct the request as `detail` says. The same request will fail again.",
  },
  invalid_text: {
    status: 400,
    title: "Text cannot be stored",
    meaning: "A string contains a NUL character or half of a surrogate pair, which PostgreSQL and JSON cannot store.",
    remedy: "Remove the character at the location named in `errors`.",
  },
  duplicate_key: {
    status: 400,
    title: "Duplicate key",
    meaning: "An object in the body has the same key twice. JSON parsers disagree on which value counts.",
    remedy: "Send each key once. `errors` has the location of the second one.",
  },
  invalid_cursor: {
    status: 400,
    title: "Invalid cursor",
    meaning: "This service did not issue the cursor for this list with these filters.",
    remedy: "Start again without `cursor`, and do not change the filters while paging.",
  },
  not_found: {
    status: 404,
    title: "Not found",
    meaning: "The object does not exist in the project, or the path does not exist.",
    remedy: "Check the id, and which project the credential belongs to.",
  },
  method_not_allowed: {
    status: 405,
    title: "Method not allowed",
    meaning: "The path exists, but not with this method.",
    remedy: "Use one of the methods in the `Allow` header.",
  },
  idempotency_conflict: {
    status: 409,
    title: "Idempotency key used for another request",
    meaning: "The key was used within the last 24 hours for a request with different content.",
    remedy: "Use a new key for a new request. Send the first request unchanged to get its result.",
  },
  conflict: {
    status: 409,
    title: "Conflict",
    meaning: "The state of the object does not allow this, or the object was changed in the meantime.",
    remedy: "Read the object again, then decide whether to repeat the request.",
  },
  payload_too_large: {
    status: 413,
    title: "Payload too large",
    meaning: "The body is larger than `MAX_BODY_BYTES`.",
    remedy: "Send less data, or store it elsewhere and send its address.",
  },
  uri_too_long: {
    status: 414,
    title: "URI too long",
    meaning: "A segment of the path is longer than 6,144 characters.",
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
      "The request is well formed but does not match its schema. `errors` lists every validation error with its location.",
    remedy: "Correct each location. The reference at `/docs` links to the schema.",
  },
  project_required: {
    status: 422,
    title: "Project required",
    meaning: "The internal secret works in any project, so the request must name one.",
    remedy: "Add `?project_id=`, the header `X-Project-Id`, or `project_id` in the body.",
  },
  number_out_of_range: {
    status: 422,
    title: "Number cannot be stored exactly",
    meaning: "The number would be rounded. Integers are exact up to 9,007,199,254,740,991.",
    remedy:
      "In a payload, send the number as a string. For a field with a range, use a number within the range that the message names.",
  },
  payload_too_complex: {
    status: 422,
    title: "Payload too complex",
    meaning: "The JSON is nested too deeply, has too many values, or a key is too long or reserved.",
    remedy: "Simplify the payload: at most 64 levels, 50,000 values and keys of 256 bytes.",
  },
  read_only_field: {
    status: 422,
    title: "Read-only field",
    meaning: "The body changes a field that only the service can write.",
    remedy:
      "Leave the field out, or send it unchanged. If its value has changed since you read the object, read it again first.",
  },
  headers_too_large: {
    status: 431,
    title: "Headers too large",
    meaning: "The URI and the headers together are larger than 16 KB.",
    remedy: "Send fewer or shorter headers.",
  },
} as const satisfies Record<string, ErrorCodeEntry>;
