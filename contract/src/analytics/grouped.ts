import Type, { type TProperties } from "typebox";
import { nullable } from "../schema/schema.ts";
import { timed } from "./analytics.ts";

/** The most groups whose values over time one response has: its size grows with groups and buckets. */
export const MAX_GROUPS = 20;

/** The values of each group in every bucket. */
export function grouped<T extends TProperties>(values: T, order: string) {
  return nullable(
    Type.Object(
      {
        groups: Type.Array(
          Type.Object({
            id: nullable(Type.String({ description: "Id of the version, workflow or schedule." })),
            name: nullable(
              Type.String({
                description: "The trigger type, the slug of the version's job or workflow, or the name of the group.",
              }),
            ),
            value: nullable(Type.String({ description: "The number of the version, the tag's value, or the model." })),
            buckets: Type.Array(timed(values), { description: "Every bucket of the period, oldest first." }),
          }),
          { description: `Ordered by ${order}, highest first; at most ${MAX_GROUPS}.` },
        ),
        has_more: Type.Boolean({ description: "Whether there are groups that are not listed." }),
      },
      { description: "The buckets of each group. Null without `group_by`." },
    ),
  );
}
