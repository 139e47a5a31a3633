export type Sample = { name: string; labels: Record<string, string | undefined>; value: number };
type Wanted = (labels: Sample["labels"]) => boolean;

/** Prometheus text format: one sample per line. */
export function parseMetrics(text: string): Sample[] {
  return text.split("\n").flatMap((line) => {
    const [, name, labels = "", value] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/.exec(line) ?? [];
    return name === undefined ? [] : [{ name, labels: labelsOf(labels), value: Number(value) }];
  });
}

export function sumOf(samples: Sample[], name: string, isWanted: Wanted = () => true): number {
  return samples.reduce((sum, each) => (each.name === name && isWanted(each.labels) ? sum + each.value : sum), 0);
}

/** Quantile of a histogram in seconds, as milliseconds: the upper bound of its bucket. Null: no samples. */
export function quantileOf(
  samples: Sample[],
  name: string,
  quantile: number,
  isWanted: Wanted = () => true,
): number | null {
  const buckets = new Map<number, number>();
  for (const each of samples) {
    if (each.name !== `${name}_bucket` || !isWanted(each.labels)) continue;
    const bound = each.labels.le === "+Inf" ? Number.POSITIVE_INFINITY : Number(each.labels.le);
    buckets.set(bound, (buckets.get(bound) ?? 0) + each.value);
  }
  const sorted = [...buckets].sort(([a], [b]) => a - b);
  const all = sorted.at(-1)?.[1] ?? 0;
  if (all === 0) return null;
  const found = sorted.find(([, count]) => count >= quantile * all)?.[0] ?? Number.POSITIVE_INFINITY;
  return (Number.isFinite(found) ? found : (sorted.at(-2)?.[0] ?? 0)) * 1_000;
}

function labelsOf(text: string): Sample["labels"] {
  return Object.fromEntries(
    [...text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, name = "", value]) => [name, value]),
  );
}
