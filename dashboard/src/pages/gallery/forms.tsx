import { useState } from "react";
import { JsonEditor } from "../../parts/code/json-editor.tsx";
import { Facts, Section } from "../../parts/facts.tsx";
import { ChoiceField } from "../../parts/form/choice-field.tsx";
import { TextField } from "../../parts/form/text-field.tsx";
import { Shelf } from "./shelf.tsx";

export function Forms() {
  const [text, setText] = useState('{ "amount": 0 }');
  return (
    <>
      <Shelf name="TextField, ChoiceField" column>
        <div className="grid gap-4 sm:grid-cols-3">
          <TextField label="Name" hint="Display name." defaultValue="Send receipt" />
          <TextField label="Event key" error="Must have 1 to 512 characters." />
          <ChoiceField label="Environment" choices={[["production", "Production"]]} />
        </div>
      </Shelf>
      <Shelf name="JsonEditor" column>
        <div className="grid gap-4 sm:grid-cols-2">
          <JsonEditor
            label="Payload"
            rows={4}
            value={text}
            onChange={setText}
            issues={[{ location: "payload.amount", message: "must be at least 1" }]}
          />
          <JsonEditor label="Invalid JSON" rows={4} value={'{\n  "a": 1,\n}'} onChange={() => {}} />
        </div>
      </Shelf>
      <Shelf name="Facts" column>
        <Section title="Overview">
          <Facts
            facts={[
              ["Status", "Running"],
              ["Key", "tenant_42"],
              ["Nothing", null],
            ]}
          />
        </Section>
      </Shelf>
    </>
  );
}
