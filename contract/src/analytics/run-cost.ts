import Type, { type Static } from "typebox";
import { Id } from "../schema/fields.ts";
import { nullable, oneOf, responseObject } from "../schema/schema.ts";
import { costs, Microusd, OUTCOMES } from "./cost-fields.ts";

export const RunCost = responseObject(
  "RunCost",
  {
    run_id: Id,
    total_microusd: costs.total_microusd,
    reported_microusd: costs.reported_microusd,
    compute_microusd: costs.compute_microusd,
    wall_ms: costs.wall_ms,
    dispatches: Type.Integer({ description: "Dispatches that have ended." }),
    is_running: Type.Boolean({ description: "A dispatch is in progress. Its time is counted when it ends." }),
    attempts: Type.Array(
      Type.Object({
        attempt: Type.Integer(),
        outcome: nullable(oneOf(OUTCOMES)),
        wall_ms: Type.Integer(),
        compute_microusd: Microusd,
        reported_microusd: Microusd,
      }),
      { description: "The newest 100 dispatches, oldest first." },
    ),
  },
  "The cost of a run.",
);
export type RunCost = Static<typeof RunCost>;
