import type { Mutations } from "./mutations/mutation.ts";
import { ORDER_MUTATIONS } from "./mutations/order.ts";
import { RECORD_MUTATIONS } from "./mutations/records.ts";
import { RUN_MUTATIONS } from "./mutations/runs.ts";
import { WORKFLOW_MUTATIONS } from "./mutations/workflows.ts";

/** In the order of the invariants. */
export const MUTATIONS: Mutations = {
  ...RUN_MUTATIONS,
  ...WORKFLOW_MUTATIONS,
  ...RECORD_MUTATIONS,
  ...ORDER_MUTATIONS,
};
