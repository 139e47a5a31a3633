import { ADMISSION_MUTANTS } from "./admission.ts";
import type { Mutant } from "./mutant.ts";
import { RUN_MUTANTS } from "./runs.ts";
import { TRIGGER_MUTANTS } from "./triggers.ts";
import { TURN_MUTANTS } from "./turns.ts";
import { WAIT_MUTANTS } from "./waits.ts";
import { WORKFLOW_MUTANTS } from "./workflows.ts";

export const MUTANTS: readonly Mutant[] = [
  ...RUN_MUTANTS,
  ...TURN_MUTANTS,
  ...TRIGGER_MUTANTS,
  ...ADMISSION_MUTANTS,
  ...WAIT_MUTANTS,
  ...WORKFLOW_MUTANTS,
];
