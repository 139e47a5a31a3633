// Credentials typed into the reference stay in the page's memory and end with it.
window.SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  docExpansion: "list",
  persistAuthorization: false,
  // The viewer's colours for code know one theme only; plain text follows ours.
  syntaxHighlight: { activated: false },
  validatorUrl: null,
});
