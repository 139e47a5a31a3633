import Type, { type Static } from "typebox";
import { responseObject } from "../schema/schema.ts";

export const SignInOptions = responseObject(
  "SignInOptions",
  {
    providers: Type.Array(
      Type.Object({
        id: Type.String(),
        name: Type.String(),
        url: Type.String({
          description: "Where a browser starts to sign in; `return_to` names the page to come back to.",
        }),
      }),
      { description: "The identity providers in the settings." },
    ),
  },
  "How people can sign in to the dashboard, besides API keys.",
);
export type SignInOptions = Static<typeof SignInOptions>;

export const StartSignInQuery = Type.Object(
  {
    return_to: Type.Optional(
      Type.String({ maxLength: 2_000, description: "Path of the page to show after sign-in. Default: `/`." }),
    ),
  },
  { additionalProperties: false },
);
export type StartSignInQuery = Static<typeof StartSignInQuery>;

const Parameter = Type.Optional(Type.String({ maxLength: 4_096 }));

/** Providers add parameters of their own, which are ignored. */
export const SignInCallbackQuery = Type.Object({
  state: Parameter,
  code: Parameter,
  iss: Parameter,
  error: Parameter,
  error_description: Parameter,
});
export type SignInCallbackQuery = Static<typeof SignInCallbackQuery>;
