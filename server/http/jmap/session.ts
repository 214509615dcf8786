/** RFC 8620 2: the session resource. The same at /.well-known/jmap, without a redirect on which clients lose their credentials. */
import type { Core } from '../../../jmap/services.ts'
import { sendJson } from '../problem.ts'
import type { JmapExchange } from './exchange.ts'

export async function session(core: Pick<Core, 'session'>, exchange: JmapExchange): Promise<void> {
  const { response, principal, baseUrl } = exchange
  // RFC 8620 2: caches must stay out.
  response.setHeader('Cache-Control', 'no-cache, no-store, must-revalidate')
  sendJson(response, 200, JSON.stringify(await core.session(principal, baseUrl)))
}
