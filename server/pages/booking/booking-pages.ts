/** /book: pages on which anybody books a time, without a key (decisions D23 and D32). They load nothing from other hosts. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ClientView } from '../../http/client.ts'
import { orFailedPage } from '../temporary.ts'
import { answerAsset, isAssetPath } from './assets.ts'
import { answerLogo } from './logo.ts'
import { parseLogoPath } from './logo-path.ts'
import { answerCalendarFile, answerManage } from './manage-pages.ts'
import { answerBooking, answerPage, answerSlots } from './public-pages.ts'
import { type BookingDeps, Visit } from './visit.ts'

const MANAGE = /^\/book\/manage\/([A-Za-z0-9._-]{1,100})(\/booking\.ics)?$/
const PAGE = /^\/book\/([a-z0-9-]{1,64})\/([a-z0-9-]{1,64})(\/slots|\/bookings)?$/

export class BookingPages {
  readonly #deps: BookingDeps
  readonly #client: Pick<ClientView, 'ip'>

  constructor(deps: BookingDeps, client: Pick<ClientView, 'ip'>) {
    this.#deps = deps
    this.#client = client
  }

  owns(path: string): boolean {
    return path.startsWith('/book/')
  }

  /** Links of invitees are secrets. */
  logged(path: string): string {
    return path.replace(/^(\/book\/manage\/)[^/]+/, '$1...')
  }

  /** @throws HttpProblem, and failures that a later request meets too */
  async answer(request: IncomingMessage, response: ServerResponse, path: string, baseUrl: string): Promise<void> {
    if (isAssetPath(path)) return answerAsset(request, response, path)
    const visit = new Visit(this.#deps, request, response, { path, ip: this.#client.ip(request), baseUrl })
    await orFailedPage(
      response,
      () => this.#show(visit, path),
      (headers) => visit.problem('unavailable', headers),
    )
  }

  async #show(visit: Visit, path: string): Promise<void> {
    const wait = this.#deps.rates.look(visit.ip)
    if (wait !== null) return visit.tooMany(wait)
    const logo = parseLogoPath(path)
    if (logo) return answerLogo(visit, logo)
    const [, token, isFile] = MANAGE.exec(path) ?? []
    if (token !== undefined) return isFile ? answerCalendarFile(visit, token) : answerManage(visit, token)
    const [, organization, slug, part] = PAGE.exec(path) ?? []
    if (organization === undefined || slug === undefined) return visit.problem('notFound')
    const page = { organization, slug }
    if (part === '/slots') return answerSlots(visit, page)
    return part === '/bookings' ? answerBooking(visit, page) : answerPage(visit, page)
  }
}
