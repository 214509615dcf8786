/** The logo of an organization, from this server: visitors ask nobody else for it. */
import { CACHE } from './assets.ts'
import type { Visit } from './visit.ts'

export async function answerLogo(
  visit: Visit,
  { organization, tag }: { readonly organization: string; readonly tag: string },
): Promise<void> {
  if (!visit.isRead) return visit.onlyMethods('GET', 'HEAD')
  const logo = await visit.deps.core.bookings.logo(organization)
  if (logo?.tag !== tag) return visit.problem('notFound')
  const { response, request } = visit
  response.setHeader('Cache-Control', CACHE)
  response.setHeader('Content-Type', logo.type)
  response.setHeader('Content-Length', logo.image.length)
  response.setHeader('X-Content-Type-Options', 'nosniff')
  // Opened by itself, it is an image and nothing else.
  response.setHeader('Content-Security-Policy', "default-src 'none'; sandbox")
  response.setHeader('Cross-Origin-Resource-Policy', 'same-origin')
  response.end(request.method === 'HEAD' ? undefined : Buffer.from(logo.image))
}
