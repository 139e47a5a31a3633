import type { ErrorCodeEntry } from "./entry.ts";

/** The request itself: what cannot be read, stored or found. */
export const REQUEST_CODES = {
  bad_request: {
    status: 400,
    title: "Bad request",
    meaning: "The request cannot be read: malformed JSON, a broken path, or a parameter no client of ours sends.",
    remedy: "Correct the request as `detail` says. Sending it again unchanged gives the same answer.",
  },
  invalid_text: {
    status: 400,
    title: "Text cannot be stored",
    meaning: "A string holds a NUL character or half of a surrogate pair, which PostgreSQL and JSON cannot keep.",
    remedy: "Remove the character at the location named in `errors`.",
  },
  duplicate_key: {
    status: 400,
    title: "Duplicate key",
    meaning: "An object of the body names a key twice. Readers of JSON disagree on which of the values counts.",
    remedy: "Send each key once. `errors` names the place of the second.",
  },
  invalid_cursor: {
    status: 400,
    title: "Invalid cursor",
    meaning: "The cursor was not issued by this service for this list with these filters.",
    remedy: "Start again without `cursor`, and keep the filters the same while paging.",
  },
  not_found: {
    status: 404,
    title: "Not found",
    meaning: "There is no such object in the project, or no such path.",
    remedy: "Check the id and the project of the credential.",
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
    meaning: "The key was used within the last 24 hours for a trigger with other content.",
    remedy: "Use a new key for a new request; repeat the first request unchanged to get its run.",
  },
  conflict: {
    status: 409,
    title: "Conflict",
    meaning: "The object is not in a state that allows this, or somebody changed it meanwhile.",
    remedy: "Read the object again and decide anew.",
  },
  payload_too_large: {
    status: 413,
    title: "Payload too large",
    meaning: "The body is larger than the service accepts (`MAX_BODY_BYTES`).",
    remedy: "Send less, or keep the data elsewhere and send its address.",
  },
  uri_too_long: {
    status: 414,
    title: "Address too long",
    meaning: "A part of the path is longer than 6,144 characters.",
    remedy: "Shorten it: event keys hold at most 512 characters.",
  },
  unsupported_media_type: {
    status: 415,
    title: "Unsupported media type",
    meaning: "A body must be `application/json`, not compressed.",
    remedy: "Send `Content-Type: application/json`.",
  },
  validation_failed: {
    status: 422,
    title: "Validation failed",
    meaning: "The request is well formed but breaks its schema; `errors` lists every fault with its location.",
    remedy: "Correct each location. The schema is linked from the reference at `/docs`.",
  },
  project_required: {
    status: 422,
    title: "Project required",
    meaning: "The internal secret acts in any project, so the request must say in which.",
    remedy: "Add `?project_id=`, the header `X-Project-Id`, or `project_id` in the body.",
  },
  number_out_of_range: {
    status: 422,
    title: "Number cannot be kept exactly",
    meaning: "The number would be rounded. Integers are exact up to 9,007,199,254,740,991.",
    remedy: "Inside a payload, send it as a string. A field with a bound takes no text: the message names the bound.",
  },
  payload_too_complex: {
    status: 422,
    title: "Payload too complex",
    meaning: "The JSON is nested too deeply, has too many values, or a key is too long or reserved.",
    remedy: "Flatten the payload: 64 levels, 50,000 values, keys of 256 bytes.",
  },
  read_only_field: {
    status: 422,
    title: "Read-only field",
    meaning: "The body changes a field that only the service writes.",
    remedy: "Leave the field out, or send it unchanged. If it differs because somebody else wrote, read again first.",
  },
  headers_too_large: {
    status: 431,
    title: "Headers too large",
    meaning: "The address and the headers together are larger than 16 KB.",
    remedy: "Send fewer or shorter headers.",
  },
} as const satisfies Record<string, ErrorCodeEntry>;
