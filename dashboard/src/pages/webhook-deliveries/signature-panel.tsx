import { useState } from "react";
import { CodeBlock } from "../../parts/code/code-block.tsx";
import { Section } from "../../parts/facts.tsx";
import { Button } from "../../parts/form/button.tsx";
import { TextField } from "../../parts/form/text-field.tsx";
import { StatusMark } from "../../parts/state/status-mark.tsx";
import { signStandard } from "./sign-standard.ts";

type Props = { body: string; headers: Record<string, string> };
type Checked = { isSame: boolean; expected: string } | { error: string };

const SNIPPET = `import { createHmac, timingSafeEqual } from "node:crypto";

// body: the raw request body, before any parsing
export function isFromMillrace(headers, body, secret) {
  const id = headers["webhook-id"];
  const time = headers["webhook-timestamp"];
  if (Math.abs(Date.now() / 1000 - Number(time)) > 300) return false;
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  const expected = createHmac("sha256", key).update(\`\${id}.\${time}.\${body}\`).digest();
  return headers["webhook-signature"].split(" ").some((each) => {
    const given = Buffer.from(each.replace("v1,", ""), "base64");
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}`;

/** How an endpoint verifies a delivery. The entered secret never leaves the page. */
export function SignaturePanel({ body, headers }: Props) {
  const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const [id, time, signature] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => lower[name]);
  if (!id || !time || !signature) return null;
  return (
    <Section title="Signature">
      <div className="flex flex-col gap-3">
        <CodeBlock title="Signed content: id.timestamp.body" code={`${id}.${time}.${body}`} />
        <CodeBlock title="Sent signature" code={signature} />
        <Recompute id={id} time={time} body={body} signature={signature} />
        <CodeBlock title="Verify in Node.js" code={SNIPPET} />
      </div>
    </Section>
  );
}

function Recompute({ id, time, body, signature }: { id: string; time: string; body: string; signature: string }) {
  const [secret, setSecret] = useState("");
  const [checked, setChecked] = useState<Checked>();
  const check = async () => {
    const expected = await signStandard(secret.trim(), `${id}.${time}.${body}`);
    if ("error" in expected) return setChecked(expected);
    setChecked({ isSame: signature.split(" ").includes(expected.signature), expected: expected.signature });
  };
  return (
    <form
      className="flex flex-col gap-2 rounded-sm border bg-surface p-3"
      onSubmit={(event) => {
        event.preventDefault();
        void check();
      }}
    >
      <TextField
        label="Signing secret of the project"
        hint="Used only in this page, never sent."
        type="password"
        autoComplete="off"
        placeholder="whsec_…"
        mono
        value={secret}
        onChange={setSecret}
      />
      <div className="flex items-center gap-3">
        <Button type="submit" size="small" disabledReason={secret.trim() === "" ? "Enter the secret." : undefined}>
          {" "}
          Verify{" "}
        </Button>
        <span role="status">{checked && <Verdict checked={checked} />}</span>
      </div>
    </form>
  );
}

function Verdict({ checked }: { checked: Checked }) {
  if ("error" in checked) return <span className="text-ink-2">{checked.error}</span>;
  return (
    <StatusMark
      status={checked.isSame ? "ok" : "failed"}
      label={checked.isSame ? "Signature is valid" : "Signature does not match"}
    />
  );
}
