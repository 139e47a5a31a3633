import Type, { type Static } from "typebox";
import { responseObject } from "../schema/schema.ts";

export const Health = responseObject("Health", { status: Type.Literal("ok") }, "The process is alive.");
export type Health = Static<typeof Health>;

export const Readiness = responseObject(
  "Readiness",
  {
    ready: Type.Boolean(),
    checks: Type.Record(Type.String(), Type.String(), {
      description: "Maps each component to `ok` or to its problem.",
    }),
  },
  "Whether the service is ready.",
);
export type Readiness = Static<typeof Readiness>;
