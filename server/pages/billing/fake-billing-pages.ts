/**
 * /billing/fake: the checkout and the portal of the fake provider, for trials of integrators in dev mode (decision D33). Who has a link acts for
 * its organization, as at Stripe. GET shows, POST acts.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FakeAction, FakePage, FakeResult } from '../../../jmap/billing/fake-provider.ts'
import type { Core } from '../../../jmap/services.ts'
import { methodNotAllowed } from '../../http/problem.ts'
import { sendHtml } from '../booking/answers.ts'
import { readFields } from '../booking/fields.ts'
import { layout } from '../booking/views/layout.ts'
import type { Html } from '../html.ts'
import { card, checkoutView, portalView } from './fake-views.ts'

const PREFIX = '/billing/fake/'

export interface FakeBillingDeps {
  readonly core: { readonly billing: Pick<Core['billing'], 'fakePage' | 'actOnFake'> }
}

export class FakeBillingPages {
  readonly #deps: FakeBillingDeps

  constructor(deps: FakeBillingDeps) {
    this.#deps = deps
  }

  owns(path: string): boolean {
    return path.startsWith(PREFIX)
  }

  logged(): string {
    return `${PREFIX}...`
  }

  /** @throws HttpProblem */
  async answer(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    const { billing } = this.#deps.core
    const token = path.slice(PREFIX.length)
    const show = (status: number, title: string, body: Html) =>
      sendHtml(request, response, {
        status,
        language: 'en',
        text: layout({ language: 'en', title, organization: null, body }),
      })
    const gone = () => show(410, 'Expired', card('Expired', 'This link is not valid any more.', null))
    if (request.method === 'POST') {
      const action = await readAction(request)
      const result: FakeResult =
        action === null
          ? { kind: 'refused', reason: 'There is no such action.' }
          : await billing.actOnFake(token, action)
      if (result.kind === 'done') return show(200, 'Done', card('Done', 'The change is stored.', result.returnUrl))
      const page = result.kind === 'refused' ? await billing.fakePage(token) : null
      if (!page || result.kind !== 'refused') return gone()
      return show(422, 'Not possible', viewOf(page, path, result.reason))
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') throw methodNotAllowed(['GET', 'HEAD', 'POST'])
    const page = await billing.fakePage(token)
    return page ? show(200, 'Billing', viewOf(page, path, null)) : gone()
  }
}

function viewOf(page: FakePage, path: string, fault: string | null): Html {
  return page.link.use === 'checkout' ? checkoutView(page, page.link, path, fault) : portalView(page, path, fault)
}

async function readAction(request: IncomingMessage): Promise<FakeAction | null> {
  const fields = await readFields(request)
  const kind = fields('action')
  const given = fields('card')
  const number = typeof given === 'string' ? given.replaceAll(/[ -]/g, '') : ''
  if (kind === 'subscribe' || kind === 'card') return { kind, card: number }
  return kind === 'cancel' || kind === 'resume' ? { kind } : null
}
