/** Shows the description with Swagger UI, light or dark as the rest of the page. */
const dark = window.matchMedia('(prefers-color-scheme: dark)')
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', follow)
follow()

window.SwaggerUIBundle({
  url: '/api/v1/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: -1,
  filter: true,
  // No external validator is used.
  validatorUrl: null,
  persistAuthorization: false,
  // All colours of this theme have enough contrast (WCAG 2.2, 1.4.3); those of the default do not.
  syntaxHighlight: { activated: true, theme: 'tomorrow-night' },
})
