type Assigned = { subject: string; role_id: string; name?: string };

/** Lines of `subject` or `subject,role,name` as CSV, with or without a first line that names them; without a role it is the chosen one. */
export function parseMembers(text: string, role: string): Assigned[] {
  return text.split(/\r?\n/).flatMap((line, nth) => {
    const [subject = "", own = "", name = ""] = cellsOf(line);
    if (subject === "" || (nth === 0 && subject.toLowerCase() === "subject")) return [];
    return [{ subject, role_id: own || role, ...(name && { name }) }];
  });
}

/** A cell in quotes may hold commas, and quotes that stand twice. */
function cellsOf(line: string): string[] {
  return [...line.matchAll(/(?:^|,)\s*(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain = ""]) =>
    (quoted?.replaceAll('""', '"') ?? plain).trim(),
  );
}
