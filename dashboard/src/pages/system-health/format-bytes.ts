const UNITS = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"] as const;

/** `8.4 MB`, in the user's locale. */
export function formatBytes(bytes: number): string {
  const nth = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  const unit = UNITS[nth] ?? "byte";
  return new Intl.NumberFormat(undefined, {
    style: "unit",
    unit,
    unitDisplay: "short",
    maximumFractionDigits: nth < 2 ? 0 : 1,
  }).format(bytes / 1_000 ** nth);
}
