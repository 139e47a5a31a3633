import { describe, expect, it } from "vitest";
import { makeWorld } from "../../../test/world/world.ts";

const DAY_SECS = 86_400;

describe("GET /v1/retention", () => {
  it("returns the values in effect: those that are set, and the defaults of the others", async () => {
    const set = {
      ...{ workflow_run_retention_secs: 80 * DAY_SECS, log_retention_secs: 3 * DAY_SECS },
      event_trigger_retention_secs: 20 * DAY_SECS,
    };
    const world = await makeWorld({ config: set });
    const { status, body } = await (await world.project()).api.get("/v1/retention");
    expect([status, body]).toMatchObject([
      200,
      {
        ...{ runs_secs: 90 * DAY_SECS, workflow_runs_secs: 80 * DAY_SECS, logs_secs: 3 * DAY_SECS },
        ...{ webhook_deliveries_secs: 30 * DAY_SECS, event_triggers_secs: 20 * DAY_SECS },
        audit_events_secs: 365 * DAY_SECS,
      },
    ]);
  });
});
