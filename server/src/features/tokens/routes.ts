import { CreateToken, Token } from "@millrace/contract/tokens";
import { projectRoute, type Route } from "../../platform/route.ts";
import { createToken } from "./create-token.ts";

export const tokenRoutes: Route[] = [
  projectRoute({
    method: "POST",
    path: "/v1/tokens",
    summary: "Create a scoped token for a browser",
    // Every caller may delegate a part of its own permissions.
    scope: undefined,
    body: CreateToken,
    response: Token,
    status: 201,
    errors: ["grant_too_wide"],
    run: (ctx, { body }) => createToken(ctx, body),
  }),
];
