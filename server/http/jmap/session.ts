/** RFC 8620 2: the session resource, also at /.well-known/jmap, because clients lose their credentials on a redirect. */
import type { Core } from '../../../jmap/services.ts'
import { sendJson } from '../problem.ts'
import type { JmapExchange } from './exchange.ts'

export async function session(core: Pick<Core, 'session'>, exchange: JmapExchange): Promise<void> {
  const { response, principal, baseUrl } = exchange
  // RFC 8620 2: it must not be cached.
  response.setHeader('Cache-Control', 'no-cache, no-store, must-revalidate')
  sendJson(response, 200, JSON.stringify(await core.session(principal, baseUrl)))
}
