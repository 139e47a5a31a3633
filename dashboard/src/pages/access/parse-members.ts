type Assigned = { subject: string; role_id: string; name?: string };

/**
 * Parses lines of `subject` or `subject,role,name` (CSV, header row optional). Lines without a role get the selected
 * one.
 */
export function parseMembers(text: string, role: string): Assigned[] {
  return text.split(/\r?\n/).flatMap((line, nth) => {
    const [subject = "", own = "", name = ""] = cellsOf(line);
    if (subject === "" || (nth === 0 && subject.toLowerCase() === "subject")) return [];
    return [{ subject, role_id: own || role, ...(name && { name }) }];
  });
}

/** Quoted cells may contain commas and doubled quotes. */
function cellsOf(line: string): string[] {
  return [...line.matchAll(/(?:^|,)\s*(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain = ""]) =>
    (quoted?.replaceAll('""', '"') ?? plain).trim(),
  );
}
