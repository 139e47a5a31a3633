import { CodeXml } from "lucide-react";
import { useState } from "react";
import { Button } from "../form/button.tsx";
import { Sheet } from "../overlay/sheet.tsx";
import { Tabs } from "../tabs.tsx";
import { CodeBlock } from "./code-block.tsx";

/** The same action as curl, CLI and TypeScript. */
export type Code = { curl: string; cli?: string; typescript?: string };

/** Button and drawer that show the current view as code. */
export function AsCode({ code, about }: { code: Code; about: string }) {
  const [isOpen, setOpen] = useState(false);
  const [language, setLanguage] = useState("curl");
  const tabs = [
    { id: "curl", label: "curl", code: code.curl },
    { id: "cli", label: "CLI", code: code.cli },
    { id: "typescript", label: "TypeScript", code: code.typescript },
  ].flatMap((tab) => (tab.code === undefined ? [] : [{ ...tab, content: <CodeBlock code={tab.code} /> }]));
  return (
    <>
      <Button kind="quiet" icon={<CodeXml size={15} />} onClick={() => setOpen(true)}>
        <span className="max-sm:sr-only">As code</span>
      </Button>
      <Sheet open={isOpen} onClose={() => setOpen(false)} title={`${about} as code`} width="600px">
        <div className="flex flex-col gap-4 px-4 py-2">
          <Tabs tabs={tabs} value={language} onChange={setLanguage} label="Language" />
          <p className="text-ink-2 text-xs">
            Set <code className="font-mono">MILLRACE_API_KEY</code> to an API key of this project.
          </p>
        </div>
      </Sheet>
    </>
  );
}
