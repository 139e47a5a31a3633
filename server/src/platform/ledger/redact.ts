/** The names stay and the values go: an audit record tells that a variable changed, never what it holds. */
export function redactValues(variables: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.keys(variables).map((name) => [name, "[redacted]"]));
}
