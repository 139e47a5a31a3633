/** Dollars for people, exact: a micro-USD is the sixth decimal. At least cents are shown. */
export function formatUsd(microusd: number): string {
  const digits = String(Math.abs(microusd)).padStart(7, "0");
  const decimals = digits.slice(-6).replace(/0{1,4}$/, "");
  return `${microusd < 0 ? "-" : ""}$${digits.slice(0, -6)}.${decimals}`;
}
