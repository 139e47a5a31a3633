/** What went wrong, what to do about it, and the id to ask about: every error of the page is one of these. */
export class Problem extends Error {
  constructor({ title, detail, remedy, code, status = 0, request_id, errors = [], retry_after }) {
    super(detail);
    Object.assign(this, { title, detail, remedy, code, status, request_id, errors, retry_after });
  }
}

const WAIT_MS = 20_000;

const REMEDIES = {
  grant_too_wide: "Choose fewer scopes, or sign in with a credential that holds them.",
  scope_missing: "Sign in with a key that holds the scope, or with the internal secret.",
  forbidden: "Sign in with the internal secret.",
  project_mismatch: "Sign in with a key of that project, or with the internal secret.",
  not_found: "It may have been deleted, or the credential may not see it.",
  slug_taken: "Choose another name.",
  validation_failed: "Correct the values and send again.",
  invalid_text: "Remove the character and send again.",
  session_expired: "Sign in again.",
  key_revoked: "Sign in with another key.",
  key_expired: "Sign in with the newest secret of the key, or with another key.",
  internal_error: "Try again. If it stays, look for the request id in the service's log.",
  service_unavailable: "Wait a moment and try again. Nothing was lost.",
};

/** Calls the API within a session. Answers the body, or throws a Problem; the end of the session is told to all. */
export async function call(method, path, body) {
  try {
    return await ask(method, path, body);
  } catch (problem) {
    if (problem.status === 401) dispatchEvent(new CustomEvent("signed-out", { detail: problem }));
    throw problem;
  }
}

/** Like `call`, for whoever may have no session yet. */
export async function ask(method, path, body) {
  const response = await send(method, path, body);
  if (!response.ok) throw await readProblem(response);
  return response.status === 204 ? undefined : response.json();
}

async function send(method, path, body) {
  try {
    return await fetch(path, {
      method,
      signal: AbortSignal.timeout(WAIT_MS),
      ...(body && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
    });
  } catch (error) {
    throw unreachable(method, error.name === "TimeoutError");
  }
}

function unreachable(method, timedOut) {
  const detail = timedOut ? `No answer came within ${WAIT_MS / 1000} seconds.` : "No connection could be made.";
  const check = "Check that Millrace is running (npm start), then try again.";
  const remedy = method === "GET" ? check : `${check} Look first whether the change was made.`;
  return new Problem({ title: "The service does not answer", detail, remedy, code: "unreachable" });
}

async function readProblem(response) {
  const body = await response.json().catch(() => undefined);
  const request_id = body?.request_id ?? response.headers.get("x-request-id") ?? undefined;
  const retry_after = Number(response.headers.get("retry-after")) || undefined;
  const { status } = response;
  if (!body?.code) {
    const detail = `The answer was ${status}, without an explanation.`;
    const remedy = "Try again in a moment. Something between this page and the service may be at fault.";
    return new Problem({ title: "Unexpected answer", detail, remedy, status, request_id });
  }
  return new Problem({ ...body, status, request_id, retry_after, remedy: REMEDIES[body.code] });
}
