const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

export function escapeHtml(text) {
  return String(text).replaceAll(/[&<>"]/g, (sign) => ENTITIES[sign]);
}
