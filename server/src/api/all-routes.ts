import { apiKeyRoutes } from "../features/api-keys/routes.ts";
import { docsRoutes } from "../features/docs/routes.ts";
import { environmentRoutes } from "../features/environments/routes.ts";
import { homeRoutes } from "../features/home/routes.ts";
import { meRoutes } from "../features/me/routes.ts";
import { operationRoutes } from "../features/operations/routes.ts";
import { projectRoutes } from "../features/projects/routes.ts";
import { sessionRoutes } from "../features/session/routes.ts";
import type { RouteRow } from "../platform/route.ts";

/** Every path of the service. `npm run routes -- <word>` searches it. */
export const allRoutes: readonly RouteRow[] = [
  ...projectRoutes,
  ...environmentRoutes,
  ...apiKeyRoutes,
  ...meRoutes,
  ...sessionRoutes,
  ...operationRoutes,
  ...docsRoutes,
  ...homeRoutes,
];
