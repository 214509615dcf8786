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
  // Nothing is sent to a validator elsewhere.
  validatorUrl: null,
  persistAuthorization: false,
  syntaxHighlight: { activated: true },
})
