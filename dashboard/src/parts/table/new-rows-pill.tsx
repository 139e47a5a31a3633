/** Count of new rows. It floats over the list header, so nothing shifts. */
export function NewRowsPill({ count, onShow }: { count: number; onShow: () => void }) {
  if (count === 0) return null;
  return (
    <div className="pointer-events-none absolute inset-x-0 top-11 z-20 flex justify-center">
      <button
        type="button"
        onClick={onShow}
        className="pointer-events-auto h-7 animate-appear rounded-full bg-accent px-3 font-medium text-on-accent text-xs shadow-float hover:bg-accent-strong"
      >
        {count === 1 ? "1 new" : `${count} new`}
      </button>
    </div>
  );
}
