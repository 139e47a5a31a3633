import { MAX_GROUPS } from "@millrace/contract/analytics/grouped";
import { readRollups } from "../rollups/read-rollups.ts";
import type { Sums } from "../rollups/rollup-rows.ts";
import type { Reader } from "./open-reader.ts";
import { type CountName, fillTimes, type Series, type Split } from "./series.ts";

type Timed<B> = B & { starts_at: string };
type Group<B> = { subject_id: string; part: string; buckets: Timed<B>[] };

type Requested<S extends Series, B> = {
  /** One with a part, which is unique among all subjects or shared by them. */
  split: Split<S>;
  subject_ids?: readonly string[];
  limit: number | undefined;
  rankBy: CountName<S>;
  present: (sums: Sums<S>) => Timed<B>;
  empty: B;
};

/** The parts of a split with the highest counts, each with its buckets over time. */
export async function readGroups<S extends Series, B extends object>(
  reader: Reader<S>,
  { limit = MAX_GROUPS, rankBy, present, empty, ...read }: Requested<S, B>,
): Promise<{ groups: Group<B>[]; has_more: boolean }> {
  const bySubject = read.split.endsWith("_version") ? (["subject"] as const) : [];
  const all = await readRollups(reader, { ...read, by: [...bySubject, "part"], withoutDurations: true });
  const ranked = all.sort((a, b) => b.counts[rankBy] - a.counts[rankBy] || (a.part < b.part ? 1 : -1));
  const shown = ranked.slice(0, Math.min(limit, MAX_GROUPS));
  const has_more = ranked.length > shown.length;
  if (shown.length === 0) return { groups: [], has_more };
  const times = await readRollups(reader, { ...read, parts: shown.map(({ part }) => part), by: ["part", "time"] });
  const groups = shown.map(({ subject_id, part }) => {
    const rows = times.filter((row) => row.part === part).map(present);
    return { subject_id, part, buckets: fillTimes(reader.range, rows, empty) };
  });
  return { groups, has_more };
}

type Names = ReadonlyMap<string, { slug: string; versions: Record<string, number> }>;

/** Groups that are versions of their subjects, under display names. */
export async function nameVersions<B>(
  groups: readonly Group<B>[],
  readNames: (subject_ids: string[], version_ids: string[]) => Promise<Names>,
) {
  const subject_ids = groups.map(({ subject_id }) => subject_id);
  const names = await readNames(
    subject_ids,
    groups.map(({ part }) => part),
  );
  return groups.map(({ subject_id, part, buckets }) => {
    const name = names.get(subject_id);
    const version = name?.versions[part];
    return { id: part, name: name?.slug ?? null, value: version === undefined ? null : String(version), buckets };
  });
}
