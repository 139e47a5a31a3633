import { sql } from "../../../platform/database/sql.ts";
import { named, type Read, requestedRows, type Sums } from "../rollups/rollup-rows.ts";
import type { Reader } from "./open-reader.ts";
import { COUNTS, NIL_ID, type Segment, type Series } from "./series.ts";

type Bucket = { counts: number[]; durations: Buffer[] };
/** Buckets by their start, per key of the other columns they are split by. */
type Buckets = Map<string, Map<number, Bucket>>;

/** Rows per query. The next ones load meanwhile, and the event loop runs in between. */
const ROWS = 4_000;
const MAX_PARTS = 4;

/**
 * Reads buckets over time as packed bytes and groups them here. Twenty receivers over a month in hours are fourteen
 * thousand rows: the database would sort them on disk, and the driver would parse each field.
 */
export async function readBuckets<S extends Series>(reader: Reader<S>, read: Read<S>): Promise<Sums<S>[]> {
  const all: Buckets = new Map();
  const parts = partsOf(reader, read).map(async (segment) => {
    unpack(all, reader, await readPacked(reader, { ...read, segments: [segment] }));
  });
  await Promise.all(parts);
  return presented(reader, all);
}

/** Splits the range into parts of whole buckets. */
function partsOf<S extends Series>({ range, finest }: Reader<S>, { subject_ids, parts }: Read<S>): Segment[] {
  const { from_ms, to_ms, bucket_ms } = range;
  const buckets = Math.ceil((to_ms - from_ms) / bucket_ms);
  const rows = buckets * Math.max(1, subject_ids?.length ?? 0, parts?.length ?? 0);
  const length_ms = Math.ceil(buckets / Math.min(MAX_PARTS, Math.ceil(rows / ROWS))) * bucket_ms;
  return Array.from({ length: Math.ceil((to_ms - from_ms) / length_ms) }, (_, index) => {
    const begins_ms = from_ms + index * length_ms;
    return { grain: finest, from_ms: begins_ms, to_ms: Math.min(to_ms, begins_ms + length_ms) };
  });
}

async function readPacked<S extends Series>(reader: Reader<S>, read: Read<S>): Promise<Buffer> {
  const { by = [], withoutDurations } = read;
  const subject = by.includes("subject") ? sql`u.subject_id::text` : sql`${NIL_ID}::text`;
  const environment = by.includes("environment") ? sql`u.environment_id::text` : sql`${NIL_ID}::text`;
  const part = by.includes("part") ? sql`u.part` : sql`''`;
  const { rows } = await sql<{ packed: Buffer | null }>`
    select string_agg(timestamptz_send(u.bucket_at) || int4send(octet_length(u.key)) || convert_to(u.key, 'UTF8')
      || array_send(u.counts) || int4send(length(u.sketch)) || u.sketch, '') as packed
    from (
      select u.bucket_at, ${subject} || ${environment} || ${part} as key, u.counts,
        ${withoutDurations ? sql`''::bytea` : sql`coalesce(u.sketch, '')`} as sketch
      ${requestedRows(reader, read)}
    ) u`.execute(reader.ctx.db);
  return rows[0]?.packed ?? Buffer.alloc(0);
}

function presented<S extends Series>({ series }: Reader<S>, all: Buckets): Sums<S>[] {
  return [...all].flatMap(([key, buckets]) =>
    [...buckets]
      .sort(([a], [b]) => a - b)
      .map(([at_ms, { counts, durations }]) => ({
        starts_at: new Date(at_ms).toISOString(),
        subject_id: key.slice(0, 36),
        environment_id: key.slice(36, 72),
        part: key.slice(72),
        counts: named(series, counts),
        durations,
      })),
  );
}

function unpack<S extends Series>(all: Buckets, { series, range }: Reader<S>, packed: Buffer): void {
  for (let at = 0; at < packed.length; ) {
    const key_at = at + 12;
    const counts_at = key_at + packed.readInt32BE(at + 8);
    const of = found(all, packed.toString("utf8", key_at, counts_at), () => new Map<number, Bucket>());
    const begins = Math.floor(timeAt(packed, at) / range.bucket_ms) * range.bucket_ms;
    const bucket = found(of, begins, () => ({ counts: COUNTS[series].map(() => 0), durations: [] }));
    const sketch_at = addCounts(bucket.counts, packed, counts_at) + 4;
    at = sketch_at + packed.readInt32BE(sketch_at - 4);
    if (at > sketch_at) bucket.durations.push(packed.subarray(sketch_at, at));
  }
}

function found<K, V>(some: Map<K, V>, key: K, make: () => V): V {
  const known = some.get(key);
  if (known) return known;
  const made = make();
  some.set(key, made);
  return made;
}

/** PostgreSQL timestamps count microseconds from here. */
const EPOCH_MS = Date.UTC(2000, 0, 1);

function timeAt(packed: Buffer, at: number): number {
  return EPOCH_MS + longAt(packed, at) / 1_000;
}

/**
 * Reads the format of `array_send`: five words, the fourth of which is the length, then each element after its size.
 * Returns the offset of the end.
 */
function addCounts(counts: number[], packed: Buffer, at: number): number {
  const many = packed.readInt32BE(at + 12);
  for (let index = 0; index < many; index++)
    counts[index] = (counts[index] ?? 0) + longAt(packed, at + 24 + index * 12);
  return at + 20 + many * 12;
}

function longAt(packed: Buffer, at: number): number {
  return packed.readInt32BE(at) * 2 ** 32 + packed.readUInt32BE(at + 4);
}
