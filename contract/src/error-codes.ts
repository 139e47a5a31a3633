/** Every `code` of the service: its status, and what docs/errors/<code>.md says of it. */

type ErrorCodeEntry = { status: number; title: string; meaning: string; remedy: string };

export const ERROR_CODES = {
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
  invalid_cursor: {
    status: 400,
    title: "Invalid cursor",
    meaning: "The cursor was not issued by this service for this list with these filters.",
    remedy: "Start again without `cursor`, and keep the filters the same while paging.",
  },
  unauthorized: {
    status: 401,
    title: "Unauthorized",
    meaning: "No credential was sent, or the one sent is not known.",
    remedy: "Send `Authorization: Bearer <API key>`, or `X-Internal-Secret` for administration.",
  },
  key_expired: {
    status: 401,
    title: "Key expired",
    meaning: "The API key is past its expiry, or its secret was rotated and the grace period is over.",
    remedy: "Use the newest secret, or create a new key.",
  },
  key_revoked: {
    status: 401,
    title: "Key revoked",
    meaning: "The API key was revoked, or its project was deleted.",
    remedy: "Create a new key.",
  },
  session_expired: {
    status: 401,
    title: "Session expired",
    meaning: "The dashboard session has ended.",
    remedy: "Sign in again.",
  },
  forbidden: {
    status: 403,
    title: "Forbidden",
    meaning: "The credential is good, but may not do this.",
    remedy: "Use a key with the scope named in `detail`, or ask an administrator.",
  },
  scope_missing: {
    status: 403,
    title: "Scope missing",
    meaning: "The API key does not hold the scope this endpoint needs.",
    remedy: "Create a key with the scope named in `detail`.",
  },
  grant_too_wide: {
    status: 403,
    title: "Grant too wide",
    meaning: "A caller can give away only what it holds itself.",
    remedy: "Ask for fewer scopes, or use a caller that holds them.",
  },
  project_mismatch: {
    status: 403,
    title: "Another project",
    meaning: "The API key belongs to one project, and the request names another.",
    remedy: "Leave `project_id` out, or use a key of that project.",
  },
  cross_site_request: {
    status: 403,
    title: "Cross-site request",
    meaning: "A session cookie arrived with a request that another site started.",
    remedy: "Use the dashboard itself, or an API key.",
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
  conflict: {
    status: 409,
    title: "Conflict",
    meaning: "The object is not in a state that allows this, or somebody changed it meanwhile.",
    remedy: "Read the object again and decide anew.",
  },
  slug_taken: {
    status: 409,
    title: "Slug taken",
    meaning: "Another object of the same parent has this slug.",
    remedy: "Choose another slug, or leave it out to have one made.",
  },
  environment_in_use: {
    status: 409,
    title: "Environment in use",
    meaning: "Something still depends on the environment: a child environment or an API key.",
    remedy: "Remove or move what `errors` lists, then delete it.",
  },
  environment_is_standard: {
    status: 409,
    title: "Standard environment",
    meaning: "production, staging and development belong to every project: no delete, no new slug, no parent.",
    remedy: "Create an environment of your own for this.",
  },
  api_key_revoked: {
    status: 409,
    title: "API key is revoked",
    meaning: "A revoked key cannot be rotated.",
    remedy: "Create a new key.",
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
    remedy: "Send it as a string.",
  },
  payload_too_complex: {
    status: 422,
    title: "Payload too complex",
    meaning: "The JSON is nested too deeply, has too many values, or a key is too long or reserved.",
    remedy: "Flatten the payload: 64 levels, 50,000 values, keys of 256 bytes.",
  },
  environment_cycle: {
    status: 422,
    title: "Environment cycle",
    meaning: "The parent is the environment itself or one of its descendants, or the line of parents is too long.",
    remedy: "Choose a parent that does not inherit from this environment.",
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
  rate_limited: {
    status: 429,
    title: "Too many requests",
    meaning: "This address has used its share for the minute.",
    remedy: "Wait for `Retry-After` seconds.",
  },
  internal_error: {
    status: 500,
    title: "Internal error",
    meaning: "A fault of the service. The log has a line with the same request id.",
    remedy: "Report it with the `request_id`.",
  },
  service_unavailable: {
    status: 503,
    title: "Service unavailable",
    meaning: "The database cannot be reached, or the service is stopping.",
    remedy: "Try again after `Retry-After` seconds; nothing was lost.",
  },
} as const satisfies Record<string, ErrorCodeEntry>;

export type ErrorCode = keyof typeof ERROR_CODES;
