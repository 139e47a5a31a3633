import { call } from "./api.js";
import { field, openForm } from "./dialogs.js";
import { el } from "./dom.js";
import { openSecretOnce } from "./secret-once.js";

export function openCreateProject(onCreated) {
  const name = el("input", { name: "name", required: true, maxlength: 200, autocomplete: "off" });
  openForm({
    title: "New project",
    fields: [field("Name", name, "Its slug is made from the name.")],
    action: "Create project",
    submit: async (form) => {
      const { webhook_secret, ...project } = await call("POST", "/v1/projects", { name: form.get("name").trim() });
      openSecretOnce({
        title: "Project created",
        intro:
          "This secret signs the requests that Millrace sends for the project. It is shown this once; it can be rotated.",
        label: "Signing secret",
        secret: webhook_secret,
        onClose: () => onCreated(project),
      });
    },
  });
}
