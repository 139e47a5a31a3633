import { CreateToken, Token } from "@millrace/contract/tokens";
import { projectRoute, type RouteRow } from "../../platform/route.ts";
import { createToken } from "./create-token.ts";

export const tokenRoutes: RouteRow[] = [
  projectRoute({
    method: "POST",
    path: "/v1/tokens",
    summary: "Make a narrow, short-lived token for a browser",
    // Whoever may do something may give a part of it away.
    scope: undefined,
    body: CreateToken,
    answer: Token,
    status: 201,
    refuses: ["grant_too_wide"],
    run: (ctx, { body }) => createToken(ctx, body),
  }),
];
