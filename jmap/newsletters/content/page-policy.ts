/**
 * How pages that show a newsletter are served. The sanitiser is the first wall, this is the second: even HTML that it let through runs
 * nothing and loads nothing but images (promise N1).
 */
export const NEWSLETTER_PAGE_POLICY = [
  "default-src 'none'",
  'img-src https: http: data:',
  "style-src 'unsafe-inline'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  // Links open, scripts and forms do not; the page has no origin, so no cookies.
  'sandbox allow-popups allow-popups-to-escape-sandbox allow-top-navigation-by-user-activation',
].join('; ')
