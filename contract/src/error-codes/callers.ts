import type { ErrorCodeEntry } from "./entry.ts";

/** Authentication and permissions. */
export const CALLER_CODES = {
  unauthorized: {
    status: 401,
    title: "Unauthorized",
    meaning: "The request has no credential, or an unknown one.",
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
  signature_invalid: {
    status: 401,
    title: "Signature invalid",
    meaning:
      "The request is not signed with the secret of the event source, or its timestamp is more than 300 seconds away.",
    remedy: "Sign the exact bytes of the body with the current secret, and use the current time.",
  },
  session_expired: {
    status: 401,
    title: "Session expired",
    meaning: "The dashboard session has ended.",
    remedy: "Sign in again.",
  },
  run_token_expired: {
    status: 401,
    title: "Run token expired",
    meaning: "The run token has expired: the deadline of its attempt has passed.",
    remedy:
      "Stop working on the run: the attempt has timed out. While an attempt is active, each heartbeat returns a fresh token.",
  },
  forbidden: {
    status: 403,
    title: "Forbidden",
    meaning: "The credential is valid, but does not allow this.",
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
    meaning: "A resource policy or a tag policy of the project denies this, whatever scopes the caller has.",
    remedy: "Call `POST /v1/access/check` to see why, and ask an administrator to change the policy named in `detail`.",
  },
  grant_too_wide: {
    status: 403,
    title: "Grant too wide",
    meaning: "A caller can grant only permissions that it has itself.",
    remedy: "Grant fewer scopes, or use a caller that has them.",
  },
  project_mismatch: {
    status: 403,
    title: "Another project",
    meaning: "The API key belongs to another project than the one that the request names.",
    remedy: "Leave `project_id` out, or use a key of that project.",
  },
  cross_site_request: {
    status: 403,
    title: "Cross-site request",
    meaning: "A page of another site sent the request, with a session cookie or to `millrace dev` on the same machine.",
    remedy: "Use the dashboard itself, or an API key.",
  },
  api_key_revoked: {
    status: 409,
    title: "API key is revoked",
    meaning: "A revoked key cannot be rotated.",
    remedy: "Create a new key.",
  },
} as const satisfies Record<string, ErrorCodeEntry>;
