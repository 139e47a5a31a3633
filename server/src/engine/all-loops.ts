import { operationLoops } from "../features/operations/loops.ts";
import { projectLoops } from "../features/projects/loops.ts";
import { sessionLoops } from "../features/session/loops.ts";
import type { Loop } from "../platform/loop.ts";

/** Every background duty of the service. `npm run loops` prints it. */
export const allLoops: readonly Loop[] = [...operationLoops, ...projectLoops, ...sessionLoops];
