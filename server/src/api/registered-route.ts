import type { Receipt } from "@millrace/contract/schema/receipts";
import type { Route } from "../platform/route.ts";
import type { Gate } from "./gate/gate.ts";

/** A route, and the one that shows what it changes. */
export type RouteWithView = { route: Route; shown: Route | undefined };

/** The same with what is known of it before any request. */
export type RegisteredRoute = RouteWithView & {
  gate: Gate;
  hasFilters: boolean;
  receiptsOf: (status: number) => readonly Receipt[];
  /** The name of the response's schema; undefined: it is sent as it is. */
  responseNameOf: (status: number) => string | undefined;
  validateBody: (body: unknown) => boolean;
};
