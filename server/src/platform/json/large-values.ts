const large = new WeakSet<object>();

/** Marks a value that takes milliseconds to serialize, so that code with many of them can yield in between. */
export function markLarge(value: unknown): void {
  if (typeof value === "object" && value !== null) large.add(value);
}

/** Whether a field of this object was marked. */
export function hasLargeField(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const fields = value as Record<string, unknown>;
  for (const name in fields) {
    const field = fields[name];
    if (typeof field === "object" && field !== null && large.has(field)) return true;
  }
  return false;
}
