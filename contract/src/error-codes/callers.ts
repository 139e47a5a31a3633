import type { ErrorCodeEntry } from "./entry.ts";

/** Authentication and authorization. */
export const CALLER_CODES = {
  unauthorized: {
    status: 401,
    title: "Unauthorized",
    meaning: "No credential was sent, or the credential is unknown.",
    remedy: "Send `Authorization: Bearer <API key>`, or `X-Internal-Secret` for administration.",
  },
  key_expired: {
    status: 401,
    title: "API key expired",
    meaning: "The API key has expired, or its secret was rotated and the grace period has passed.",
    remedy: "Use the newest secret, or create a new key.",
  },
  key_revoked: {
    status: 401,
    title: "API key revoked",
    meaning: "The API key was revoked, or its project was deleted.",
    remedy: "Create a new key.",
  },
  signature_invalid: {
    status: 401,
    title: "Signature invalid",
    meaning:
      "The request is not signed with the secret of the event source, or its timestamp is more than 300 seconds off.",
    remedy: "Sign the exact bytes of the body with the current secret at the time of sending.",
  },
  session_expired: {
    status: 401,
    title: "Session expired",
    meaning: "The dashboard session has ended.",
    remedy: "Sign in again.",
  },
  totp_required: {
    status: 401,
    title: "Code required",
    meaning: "The password is right, and the account also needs a code from the authenticator app.",
    remedy: "Send the request again with the current code in `totp`.",
  },
  run_token_expired: {
    status: 401,
    title: "Run token expired",
    meaning: "The run token has expired with the deadline of its attempt.",
    remedy: "Stop working: the attempt has timed out. While an attempt is running, heartbeats return a fresh token.",
  },
  forbidden: {
    status: 403,
    title: "Forbidden",
    meaning: "The credential is valid but does not permit this request.",
    remedy: "Use a key with the scope named in `detail`, or ask an administrator.",
  },
  scope_missing: {
    status: 403,
    title: "Scope missing",
    meaning: "The API key does not have the scope that this endpoint requires.",
    remedy: "Create a key with the scope named in `detail`.",
  },
  policy_denied: {
    status: 403,
    title: "Denied by a policy",
    meaning: "A resource policy or tag policy of the project denies this, regardless of the caller's scopes.",
    remedy: "Call `POST /v1/access/check` to see why, and ask an administrator to change the policy named in `detail`.",
  },
  grant_too_wide: {
    status: 403,
    title: "Grant exceeds the caller's scopes",
    meaning: "Callers can only grant scopes that they hold themselves.",
    remedy: "Request fewer scopes, or use a credential that holds them.",
  },
  project_mismatch: {
    status: 403,
    title: "Wrong project",
    meaning: "The API key belongs to one project and the request names another.",
    remedy: "Omit `project_id`, or use a key of that project.",
  },
  cross_site_request: {
    status: 403,
    title: "Cross-site request",
    meaning:
      "A page of another site made the request, with a session cookie or from the machine that runs `millrace dev`.",
    remedy: "Use the dashboard itself, or an API key.",
  },
  last_admin: {
    status: 409,
    title: "Last administrator",
    meaning: "The member is the only one with the role `admin`, and nobody else could manage the project's members.",
    remedy: "Transfer the role with `POST /v1/members/transfer`, or give it to another member first.",
  },
  api_key_revoked: {
    status: 409,
    title: "API key revoked",
    meaning: "A revoked key cannot be rotated.",
    remedy: "Create a new key.",
  },
} as const satisfies Record<string, ErrorCodeEntry>;
