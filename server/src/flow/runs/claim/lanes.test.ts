import { describe, expect, it } from "vitest";
import type { Ctx } from "../../../platform/context.ts";
import { LANES_TOPIC, type Lane, laneKey, readLane, wakeLanes } from "./lanes.ts";

const lane = (project_id: string, host: string, rank_at: string): Lane => ({ project_id, host, rank_at });
const [EARLY, LATE] = ["2030-01-01T00:00:00.000Z", "2030-01-01T00:00:00.001Z"];

function wokenBy(lanes: Lane[]): [string, string | undefined][] {
  const woken: [string, string | undefined][] = [];
  wakeLanes(
    { wakeup: { wake: (topic: string, detail?: string) => woken.push([topic, detail]) } } as unknown as Ctx,
    lanes,
  );
  return woken;
}

describe("a wake-up of lanes", () => {
  it("has each lane once, with the position of its first run and how many became claimable", () => {
    const woken = wokenBy([
      lane("p", "a:80", LATE),
      lane("p", "a:80", EARLY),
      lane("p", "b:80", LATE),
      lane("q", "a:80", LATE),
    ]);
    expect(woken.map(([topic, detail]) => [topic, readLane(detail)])).toEqual([
      [LANES_TOPIC, { ...lane("p", "a:80", EARLY), count: 2 }],
      [LANES_TOPIC, { ...lane("p", "b:80", LATE), count: 1 }],
      [LANES_TOPIC, { ...lane("q", "a:80", LATE), count: 1 }],
    ]);
  });

  it("without a count stands for an unknown number", () => {
    expect(readLane(`p ${EARLY} a:80`)).toEqual(lane("p", "a:80", EARLY));
  });

  it("of none is empty", () => expect(wokenBy([])).toEqual([]));

  it("is decoded as it was encoded, with any host a URL can have", () => {
    for (const host of ["a", "127.0.0.1:8080", "[2001:db8::1]:443", "xn--bcher-kva.example", "my_app.example."]) {
      const [[, detail] = []] = wokenBy([lane("0190b2f0-0000-7000-8000-000000000000", host, EARLY)]);
      expect(readLane(detail)?.host).toBe(host);
    }
  });

  it.each([undefined, "", "p", `p ${EARLY}`])("that names no lane, %j, is ignored", (detail) => {
    expect(readLane(detail)).toBeUndefined();
  });
});

describe("the key of a lane", () => {
  it("is unique per project and host", () => {
    const keys = [laneKey(lane("p", "a", EARLY)), laneKey(lane("p", "b", EARLY)), laneKey(lane("q", "a", EARLY))];
    expect(new Set(keys).size).toBe(3);
    expect(laneKey(lane("p", "a", EARLY))).toBe(laneKey(lane("p", "a", LATE)));
  });
});
