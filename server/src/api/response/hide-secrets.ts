import type { ProblemError } from "@millrace/contract/problem";

/** Names of fields that hold secrets: their values, valid or not, are never echoed. Timestamps are not secret. */
const SECRET =
  /^(?!.*_at$)(.*secret.*|.*password.*|.*token|api_?key|code|auth|authorization|cookie|credentials?|headers|variables)$/i;

/** The issues of a request, without its secrets: responses are logged by proxies and shown on screens. */
export function hideSecrets(errors: readonly ProblemError[]): ProblemError[] {
  return errors.map((error) => {
    const names = error.location.split(/[.[\]]+/);
    return { ...error, value: names.some((name) => SECRET.test(name)) ? null : withoutSecrets(error.value) };
  });
}

function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, SECRET.test(name) ? null : withoutSecrets(each)]),
  );
}
