import { beforeAll, describe, expect, it } from "vitest";
import { readStream } from "../../../test/outside/read-stream.ts";
import { seedRuns } from "../../../test/seed/seed-run.ts";
import { serveOn, useServices } from "../../../test/service/start-service.ts";
import { runSql } from "../../../test/world/database.ts";
import { sizeOf } from "../../../test/world/size.ts";
import { until } from "../../../test/world/until.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";

useServices();

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
});

/** Inserts runs until stopped, some in a transaction of their own and some together. */
function writers(many: number) {
  let isOver = false;
  const done = Promise.all(
    Array.from({ length: many }, async (_, nth) => {
      while (!isOver) {
        await seedRuns(
          world.connection,
          project.id,
          Array.from({ length: 1 + nth }, () => ({ status: "completed" })),
        );
      }
    }),
  );
  return {
    stop: async () => {
      isOver = true;
      await done;
    },
  };
}

/** A browser: it keeps the last event id and reconnects with it to any instance. */
function browser() {
  const received: string[] = [];
  let last: string | undefined;
  async function listen({ url }: { url: string }) {
    const headers = { authorization: `Bearer ${project.key}`, ...(last && { "last-event-id": last }) };
    const stream = await readStream(url, "/v1/stream?topics=runs", headers);
    expect(stream.status).toBe(200);
    await stream.next("open");
    let taken = 0;
    return () => {
      for (const { event, id, data } of stream.events.slice(taken)) {
        taken++;
        last = id ?? last;
        expect(event).not.toBe("reset");
        if (event === "change") received.push(`${data.id} ${data.object.ordinal}`);
      }
      return received.length;
    };
  }
  return { received, listen };
}

describe("a stream across kill -9", () => {
  it("skips nothing and repeats nothing while writers continue", async () => {
    const { received, listen } = browser();
    let service = await serveOn(world.connection, { ROLES: "api" });
    let take = await listen(service);
    take();
    const writing = writers(3);
    for (let left = sizeOf(1, 3); left > 0; left--) {
      const before = received.length;
      await until("some changes", 20_000, () => take() > before + 20);
      await service.kill();
      take();
      if (left > 1) service = await serveOn(world.connection, { ROLES: "api" });
      take = await listen(left > 1 ? service : world);
    }
    await writing.stop();
    const rows = await runSql<{ name: string }>(
      world.connection,
      "select run_id || ' ' || ordinal as name from run_history where project_id = $1",
      [project.id],
    );
    await until("the last of them", 20_000, () => take() >= rows.length);
    expect(received.toSorted()).toEqual(rows.map(({ name }) => name).toSorted());
  });
});
