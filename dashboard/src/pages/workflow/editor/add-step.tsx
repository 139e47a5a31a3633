import { STEP_TYPES } from "@millrace/contract/workflows/step-runs";
import { Plus } from "lucide-react";
import { createElement } from "react";
import { Button } from "../../../parts/form/button.tsx";
import { Menu } from "../../../parts/overlay/menu.tsx";
import { useCommands } from "../../../shell/command-menu/commands.ts";
import { kindOf } from "../../shared-workflows/step-kinds.ts";
import { addStep, type StepType } from "./change-steps.ts";
import type { Definition } from "./draft.ts";
import type { Slugs } from "./step-form.tsx";

type Props = {
  definition: Definition;
  /** The selected step, which the new one depends on. */
  after: string | undefined;
  slugs: Slugs;
  onAdd: (definition: Definition, ref: string) => void;
};

/** Adds a step of a type, after the selected one. */
export function AddStep({ definition, after, slugs, onAdd }: Props) {
  const add = (type: StepType) => {
    const added = addStep(definition, type, after, slugs.jobs[0] ?? "");
    onAdd(added.definition, added.step_ref);
  };
  useCommands(STEP_TYPES.map((type) => ({ label: `Add step: ${kindOf(type).label}`, run: () => add(type) })));
  return (
    <Menu
      label="Add step"
      align="end"
      trigger={
        <Button size="small" icon={<Plus size={13} />}>
          Add step
        </Button>
      }
      items={STEP_TYPES.map((type) => ({
        label: kindOf(type).label,
        icon: createElement(kindOf(type).Icon, { size: 14, "aria-hidden": true }),
        onSelect: () => add(type),
      }))}
    />
  );
}
