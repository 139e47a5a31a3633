import { cx } from "../class-names.ts";

type Props = {
  id: string;
  choices: { text: string; hint: string }[];
  /** The highlighted suggestion. */
  nth: number;
  onChoose: (text: string) => void;
};

export function FilterChoices({ id, choices, nth, onChoose }: Props) {
  if (choices.length === 0) return null;
  return (
    <div
      id={id}
      role="listbox"
      aria-label="Suggestions"
      className="floating absolute top-full right-0 left-0 z-30 mt-1 max-w-[480px] animate-appear p-1"
    >
      {choices.map((choice, place) => (
        <div
          key={choice.text}
          id={`${id}-${place}`}
          role="option"
          tabIndex={-1}
          aria-selected={place === nth}
          onMouseDown={(event) => {
            event.preventDefault();
            onChoose(choice.text);
          }}
          className={cx(
            "flex h-7 cursor-pointer items-center gap-3 rounded-sm px-2 hover:bg-hover",
            place === nth && "bg-hover",
          )}
        >
          <code className="font-mono text-xs">{choice.text}</code>
          <span className="truncate text-ink-3 text-xs">{choice.hint}</span>
        </div>
      ))}
    </div>
  );
}
