import { type ReactNode, useId } from "react";

type Props = {
  label: string;
  hint?: ReactNode;
  error?: string | undefined;
  children: (ids: {
    id: string;
    "aria-describedby": string | undefined;
    "aria-invalid": boolean | undefined;
  }) => ReactNode;
};

/** Label, control and hint. The control receives its ids. */
export function FormField({ label, hint, error, children }: Props) {
  const id = useId();
  const hasDescription = hint !== undefined || error !== undefined;
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={id} className="font-medium text-xs">
        {label}
      </label>
      {children({
        id,
        "aria-describedby": hasDescription ? `${id}-description` : undefined,
        "aria-invalid": error === undefined ? undefined : true,
      })}
      {hasDescription && (
        <p id={`${id}-description`} className={error === undefined ? "text-ink-3 text-xs" : "text-failed-ink text-xs"}>
          {error ?? hint}
        </p>
      )}
    </div>
  );
}
