import { cx } from "../class-names.ts";

type Props = {
  values: number[];
  label: string;
  width?: number;
  height?: number;
  className?: string;
  kind?: "line" | "bars";
};

/** A small chart from zero, without axes. */
export function Sparkline({ values, label, width = 96, height = 24, className = "text-accent", kind = "line" }: Props) {
  const max = Math.max(1, ...values);
  const y = (value: number) => height - 1 - (value / max) * (height - 2);
  const step = width / Math.max(1, kind === "line" ? values.length - 1 : values.length);
  return (
    <svg
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={label}
      className={cx("flex-none", className)}
    >
      {kind === "line" ? (
        <>
          <path
            d={`M0 ${height}${values.map((value, nth) => `L${nth * step} ${y(value)}`).join("")}L${width} ${height}Z`}
            fill="currentColor"
            opacity="0.12"
          />
          <polyline
            points={values.map((value, nth) => `${nth * step},${y(value)}`).join(" ")}
            fill="none"
            stroke="currentColor"
            strokeWidth="1.5"
          />
        </>
      ) : (
        values.map((value, nth) => (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: a bar is identified by its position
            key={nth}
            x={nth * step + 0.5}
            y={y(value)}
            width={Math.max(1, step - 1)}
            height={height - y(value)}
            fill="currentColor"
          />
        ))
      )}
    </svg>
  );
}
