import { beforeAll, describe, expect, it } from "vitest";
import { runSql } from "../../../../test/world/database.ts";
import { sizeOf } from "../../../../test/world/size.ts";
import { makeWorld, type World } from "../../../../test/world/world.ts";
import { addValue, encodeSketch, type Sketch } from "../rollups/sketch.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  await world.clock.set("2030-06-15T12:00:00Z");
});

const HOUR_MS = 3_600_000;
const UNTIL = Date.UTC(2030, 5, 15, 12);

type Bucket = { starts_at: string; attempts: number; delivered: number; p50_ms: number | null; p99_ms: number | null };

describe("GET /v1/analytics/webhooks/endpoint-health", () => {
  it("N11 reports the stored values of every hour for each receiver over a month, and mixes none up", async () => {
    const project = await world.project();
    const environments = (await project.api.get("/v1/environments")).body.data as { id: string }[];
    const receivers = Array.from({ length: sizeOf(4, 20) }, (_, nth) => `host-${nth}.example.com`);
    const rows = receivers.flatMap((part, nth) =>
      Array.from({ length: 720 }, (_, hour) => rowOf(part, nth, hour)).filter((_, hour) => hour % 7 !== nth % 7),
    );
    // Two environments share one bucket.
    for (const { id } of environments.slice(0, 2)) await insert(project.id, id, rows);
    const from = new Date(UNTIL - 720 * HOUR_MS).toISOString();
    const path = `/v1/analytics/webhooks/endpoint-health?from=${from}&to=2030-06-15T12:00:00Z&bucket=1h`;
    const { status, body, text } = await project.api.get(path);
    expect(status, text).toBe(200);
    expect(body.data.map(({ endpoint }: { endpoint: string }) => endpoint).toSorted()).toEqual(receivers.toSorted());
    for (const { endpoint, attempts, buckets } of body.data as {
      endpoint: string;
      attempts: number;
      buckets: Bucket[];
    }[]) {
      const nth = receivers.indexOf(endpoint);
      expect(buckets).toHaveLength(720);
      expect(buckets.reduce((sum, bucket) => sum + bucket.attempts, 0)).toBe(attempts);
      const wrong = buckets.toReversed().filter((bucket, hour) => {
        const isEmpty = hour % 7 === nth % 7;
        const far = Math.abs((bucket.p99_ms ?? 0) - (isEmpty ? 0 : 100 * (nth + 1)));
        const isRight = bucket.attempts === (isEmpty ? 0 : 2 * (hour + 1)) && far <= nth + 1;
        return !isRight || bucket.starts_at !== new Date(UNTIL - (hour + 1) * HOUR_MS).toISOString();
      });
      expect(wrong).toEqual([]);
    }
    const few = await project.api.get(`${path}&limit=2&environment_id=${environments[0]?.id}`);
    expect(few.body.data).toHaveLength(2);
    expect(few.body.data[0].buckets.at(-3).attempts).toBeLessThanOrEqual(3);
  });
});

function rowOf(part: string, nth: number, hour: number) {
  const sketch: Sketch = new Map();
  addValue(sketch, 100 * (nth + 1));
  return { part, hours: hour + 1, sketch: encodeSketch(sketch).toString("hex") };
}

/** The hours, and the days they add up to. */
async function insert(project_id: string, environment_id: string, rows: object[]): Promise<void> {
  await runSql(
    world.connection,
    `insert into rollups (project_id, series, split, grain, bucket_at, subject_id, environment_id, part, counts, sketch)
     select $1, 'webhooks', 'endpoint', g.grain, date_bin(g.grain * interval '1 second', r.at, 'epoch'),
       '00000000-0000-0000-0000-000000000000', $2, r.part, array[sum(r.hours), sum(r.hours), 0, 0, 0, 0],
       string_agg(decode(r.sketch, 'hex'), '\\x0000'::bytea)
     from (
       select part, hours, sketch, $4::timestamptz - hours * interval '1 hour' as at
       from jsonb_to_recordset($3::jsonb) as r(part text, hours int, sketch text)
     ) r cross join (values (3600), (86400)) g(grain)
     group by g.grain, 5, r.part`,
    [project_id, environment_id, JSON.stringify(rows), new Date(UNTIL).toISOString()],
  );
}
