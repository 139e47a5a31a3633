import { describe, expect, it } from "vitest";
import { later } from "../../../test/world/later.ts";
import { until } from "../../../test/world/until.ts";
import type { EventStream } from "./event-stream.ts";
import { paceStream } from "./pace-stream.ts";

/** A client that reads when the test lets it. */
function client(isReading: () => boolean, characters = 10) {
  const sent: unknown[] = [];
  const seen = { cut: false, unsent: 0, max: 0 };
  const stream: EventStream = {
    send: (_event, data) => {
      sent.push(data);
      seen.unsent++;
      seen.max = Math.max(seen.max, seen.unsent);
      return characters;
    },
    mark: () => {},
    end: () => {},
    cut: () => {
      seen.cut = true;
    },
    flushed: async () => {
      await until("the client to read", 20_000, () => isReading() || seen.cut);
      seen.unsent = 0;
    },
  };
  return { stream, sent, seen };
}

const events = (many: number) => Array.from({ length: many }, (_, data) => ({ event: "change", data }));

describe("a paced stream", () => {
  it("sends a burst of thousands in parts, in order, to a client that reads", async () => {
    const { stream, sent, seen } = client(() => true);
    const paced = paceStream(stream);
    paced.push(events(5_000));
    await paced.drained();
    expect(sent).toEqual(events(5_000).map(({ data }) => data));
    expect([seen.cut, seen.max]).toEqual([false, 250]);
    expect(paced.isIdle()).toBe(true);
  });

  it("sends few at a time when they are large", async () => {
    const { stream, seen } = client(() => true, 100_000);
    const paced = paceStream(stream);
    paced.push(events(20));
    await paced.drained();
    expect(seen.max).toBe(3);
  });

  it("disconnects a client that has not read for a second while more than a thousand events wait", async () => {
    const { stream, seen } = client(() => false);
    const paced = paceStream(stream);
    paced.push(events(2_000));
    paced.push(events(1));
    expect(seen.cut).toBe(false);
    await later(1_001, async () => paced.push(events(1)));
    expect(seen.cut).toBe(true);
    expect(seen.max).toBe(250);
  });

  it("keeps a client connected that has not read a few events", async () => {
    const { stream, seen } = client(() => false);
    const paced = paceStream(stream);
    paced.push(events(900));
    await later(1_100, async () => paced.push(events(1)));
    expect(seen.cut).toBe(false);
    seen.cut = true;
  });
});
