/** Keeps the first `max` values; every later one becomes `other`. */
export function cappedLabel(max: number): (value: string) => string {
  const known = new Set<string>();
  return (value) => {
    if (known.has(value)) return value;
    if (known.size >= max) return "other";
    known.add(value);
    return value;
  };
}
