import Type, { type Static } from "typebox";
import { ERROR_CODES } from "./error-codes.ts";
import { answerObject, oneOf } from "./schema.ts";

export const ProblemError = Type.Object({
  location: Type.String({ description: "For example `body.steps[2].event_key`." }),
  message: Type.String(),
  value: Type.Unknown({ description: "What was sent there." }),
});
export type ProblemError = Static<typeof ProblemError>;

/** One object that is both error shapes of the specification at once. */
export const Problem = answerObject(
  "Problem",
  {
    type: Type.String({ description: "Always `about:blank`." }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String({ description: "What is wrong and what to do." }),
    instance: Type.String({ description: "The path that was asked." }),
    errors: Type.Array(ProblemError),
    error: Type.String({ description: "Equal to `detail`." }),
    code: oneOf(Object.keys(ERROR_CODES)),
    request_id: Type.String(),
  },
  "What went wrong.",
);
export type Problem = Static<typeof Problem>;
