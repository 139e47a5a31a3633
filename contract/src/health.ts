import Type, { type Static } from "typebox";
import { answerObject } from "./schema.ts";

export const Health = answerObject("Health", { status: Type.Literal("ok") }, "The process is alive.");
export type Health = Static<typeof Health>;

export const Readiness = answerObject(
  "Readiness",
  {
    ready: Type.Boolean(),
    checks: Type.Record(Type.String(), Type.String(), { description: "Component name to `ok` or what is wrong." }),
  },
  "Whether the service can do its work.",
);
export type Readiness = Static<typeof Readiness>;
