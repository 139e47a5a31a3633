/** Returns why a JSON number literal cannot be stored exactly, or undefined: nothing is rounded silently. */
export function findInexactNumber(literal: string): string | undefined {
  const number = Number(literal);
  if (!Number.isFinite(number)) return "is too large for a number; send it as a string";
  if (isUnsafeInteger(literal, number)) return "is an integer beyond ±(2^53 − 1); send it as a string";
  const written = String(number);
  if (written !== literal && !isSameDecimal(literal, written)) return "would be rounded; send it as a string";
  return undefined;
}

// From 1e21 on numbers are printed with an exponent, so `1e300` round-trips; `1e20` would come back as an integer that
// we would refuse.
function isUnsafeInteger(literal: string, number: number): boolean {
  if (Math.abs(number) <= Number.MAX_SAFE_INTEGER) return false;
  return Math.abs(number) < 1e21 || !/[.eE]/.test(literal);
}

function isSameDecimal(left: string, right: string): boolean {
  const a = normalize(left);
  const b = normalize(right);
  return a.digits === b.digits && (a.digits === "" || (a.exponent === b.exponent && a.negative === b.negative));
}

/** ±0.digits × 10^exponent, without leading or trailing zeros; zero has no digits. */
function normalize(literal: string): { negative: boolean; digits: string; exponent: number } {
  const negative = literal.startsWith("-");
  const [mantissa = "", power = "0"] = literal.slice(negative ? 1 : 0).split(/[eE]/);
  const [whole = "", fraction = ""] = mantissa.split(".");
  const all = whole + fraction;

  let start = 0;
  while (all[start] === "0") start++;
  let end = all.length;
  while (end > start && all[end - 1] === "0") end--;
  return { negative, digits: all.slice(start, end), exponent: whole.length - start + Number(power) };
}
