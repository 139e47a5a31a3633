type Assigned = { subject: string; role_id: string; name?: string };

/** Lines of `subject` or `subject,role,name`; without a role it is the chosen one. */
export function parseMembers(text: string, role: string): Assigned[] {
  return text.split("\n").flatMap((line) => {
    const [subject = "", own = "", name = ""] = line.split(",").map((cell) => cell.trim().replace(/^"(.*)"$/, "$1"));
    return subject === "" ? [] : [{ subject, role_id: own || role, ...(name && { name }) }];
  });
}
