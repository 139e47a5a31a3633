/** Names stay and values are removed: an audit record shows that a variable changed, never its value. */
export function redactValues(variables: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.keys(variables).map((name) => [name, "[redacted]"]));
}
