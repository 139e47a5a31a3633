import type { Attack } from "./attack.ts";
import { BODY_ATTACKS } from "./body-attacks.ts";
import { CAPSULE_ATTACKS } from "./capsule-attacks.ts";
import { RUN_ATTACKS } from "./run-attacks.ts";
import { WORKER_ATTACKS } from "./worker-attacks.ts";
import { WORKFLOW_ATTACKS } from "./workflow-attacks.ts";

export const ATTACKS: Record<string, Attack> = {
  ...BODY_ATTACKS,
  ...WORKFLOW_ATTACKS,
  ...RUN_ATTACKS,
  ...CAPSULE_ATTACKS,
  ...WORKER_ATTACKS,
};
