import Type, { type Static } from "typebox";
import { ERROR_CODES } from "../error-codes/all-codes.ts";
import { oneOf, responseObject } from "./schema.ts";

export const ProblemError = Type.Object({
  location: Type.String({ description: "For example `body.steps[2].event_key`." }),
  message: Type.String(),
  value: Type.Unknown({ description: "The rejected value." }),
});
export type ProblemError = Static<typeof ProblemError>;

/** Combines the two error formats that clients expect, RFC 9457 and `{error, code, request_id}`, in one object. */
export const Problem = responseObject(
  "Problem",
  {
    type: Type.String({ description: "Always `about:blank`." }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String({ description: "What is wrong and how to fix it." }),
    instance: Type.String({ description: "The requested path." }),
    errors: Type.Array(ProblemError),
    error: Type.String({ description: "Same as `detail`." }),
    code: oneOf(Object.keys(ERROR_CODES)),
    request_id: Type.String(),
  },
  "An error response.",
);
export type Problem = Static<typeof Problem>;
