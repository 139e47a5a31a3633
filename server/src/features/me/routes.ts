import { Me } from "@millrace/contract/me";
import { callerRoute, type Route } from "../../platform/route.ts";
import { getMe } from "./get-me.ts";

export const meRoutes: Route[] = [
  callerRoute({
    method: "GET",
    path: "/v1/me",
    summary: "Get the caller and its permissions",
    response: Me,
    run: (ctx) => getMe(ctx),
  }),
];
