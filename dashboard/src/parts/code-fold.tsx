import { CodeBlock } from "./code-block.tsx";

/** What a dialog is about to do, as code: for those who look. */
export function CodeFold({ code }: { code: string }) {
  return (
    <details>
      <summary className="cursor-pointer text-ink-2 text-xs">As code</summary>
      <CodeBlock className="mt-2" code={code} />
    </details>
  );
}
