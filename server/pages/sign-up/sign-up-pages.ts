/**
 * /subscribe: pages on which anybody signs up for an audience, without a key (decision D18, promise N4). GET shows, POST acts: what opens
 * the links of a mail does not confirm anything. An answer never shows whether an address is known.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { SignUpPage } from '../../../jmap/newsletters/sign-up/page.ts'
import type { Core } from '../../../jmap/services.ts'
import { SUBSCRIBER_NAME_MAX_CHARS } from '../../base/audience-limits.ts'
import type { ClientView } from '../../http/client.ts'
import { sendHtml } from '../booking/answers.ts'
import { readFields } from '../booking/fields.ts'
import { layout } from '../booking/views/layout.ts'
import type { Html } from '../html.ts'
import { newsletterWords } from '../newsletter-words/languages.ts'
import type { SignUpWords } from '../newsletter-words/words.ts'
import { orFailedPage } from '../temporary.ts'
import type { SignUpRates } from './sign-up-rates.ts'
import { card, confirmation, type Fault, type SignUpForm, signUpForm } from './views.ts'

const CONFIRM = /^\/subscribe\/confirm\/([A-Za-z0-9._-]{1,100})$/
const PAGE = /^\/subscribe\/([a-z0-9_]{1,64})$/
const EMPTY: SignUpForm = { email: '', name: '' }

export interface SignUpDeps {
  readonly core: Pick<Core, 'signUps'>
  readonly rates: SignUpRates
}

interface Visit {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly path: string
  readonly ip: string
  readonly baseUrl: string
  readonly language: string
  readonly words: SignUpWords
}

export class SignUpPages {
  readonly #deps: SignUpDeps
  readonly #client: Pick<ClientView, 'ip'>

  constructor(deps: SignUpDeps, client: Pick<ClientView, 'ip'>) {
    this.#deps = deps
    this.#client = client
  }

  owns(path: string): boolean {
    return path.startsWith('/subscribe/')
  }

  /** Whoever has a link can confirm by it. */
  logged(path: string): string {
    return path.replace(/^(\/subscribe\/confirm\/).+/, '$1...')
  }

  /** @throws HttpProblem, and failures that a later request meets too */
  async answer(request: IncomingMessage, response: ServerResponse, path: string, baseUrl: string): Promise<void> {
    const { language, signUp: words } = newsletterWords(request.headers['accept-language'])
    const visit = { request, response, path, ip: this.#client.ip(request), baseUrl, language, words }
    await orFailedPage(
      response,
      () => this.#show(visit),
      (headers) => send(visit, 503, null, words.failedTitle, card(words.failedTitle, words.failed), headers),
    )
  }

  async #show(visit: Visit): Promise<void> {
    const wait = this.#deps.rates.look(visit.ip)
    if (wait !== null) return tooMany(visit, wait)
    const [, token] = CONFIRM.exec(visit.path) ?? []
    if (token !== undefined) return this.#confirm(visit, token)
    const [, audienceId] = PAGE.exec(visit.path) ?? []
    return audienceId === undefined ? notFound(visit) : this.#signUp(visit, audienceId)
  }

  async #signUp(visit: Visit, audienceId: string): Promise<void> {
    const { language, words, ip, baseUrl } = visit
    if (!isRead(visit) && visit.request.method !== 'POST') return wrongMethod(visit)
    const fields = isRead(visit) ? null : await readFields(visit.request)
    const page = await this.#deps.core.signUps.page(audienceId)
    if (!page) return notFound(visit)
    if (!fields) return showForm(visit, page, 200, EMPTY, null)
    const form = { email: textOf(fields('email')), name: textOf(fields('name')) }
    if (form.name.length > SUBSCRIBER_NAME_MAX_CHARS)
      return showForm(visit, page, 422, form, { field: 'name', message: words.tooLong(SUBSCRIBER_NAME_MAX_CHARS) })
    const wait = this.#deps.rates.signUp(ip, page.organization.slug)
    if (wait !== null) return tooMany(visit, wait)
    // A program filled in what people do not see. It learns nothing from the answer.
    if (textOf(fields('website')) !== '') return sent(visit, page)
    const displayName = form.name === '' ? null : form.name
    const sending = { email: form.email, displayName, language, baseUrl }
    const outcome = await this.#deps.core.signUps.request(audienceId, sending)
    if (outcome === 'invalid') return showForm(visit, page, 422, form, { field: 'email', message: words.notAnAddress })
    if (outcome === 'gone') return notFound(visit)
    return outcome === 'accepted' ? sent(visit, page) : unavailable(visit)
  }

  async #confirm(visit: Visit, token: string): Promise<void> {
    const { words, path } = visit
    const { signUps } = this.#deps.core
    if (isRead(visit)) {
      const page = await signUps.find(token)
      if (!page) return send(visit, 410, null, words.goneTitle, card(words.goneTitle, words.gone))
      return send(visit, 200, page, words.confirmTitle(page.name), confirmation(words, page, path))
    }
    if (visit.request.method !== 'POST') return wrongMethod(visit)
    const done = await signUps.confirm(token)
    if (done.outcome === 'done')
      return send(visit, 200, done.page, words.done, card(words.done, words.doneHint(done.page.name)))
    if (done.outcome === 'unavailable') return unavailable(visit)
    return send(visit, 410, null, words.goneTitle, card(words.goneTitle, words.gone))
  }
}

function isRead({ request }: Visit): boolean {
  return request.method === 'GET' || request.method === 'HEAD'
}

/** One line. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value.replaceAll(/[\u0000-\u001f\u007f]+/g, ' ').trim() : ''
}

function send(
  { request, response, language }: Visit,
  status: number,
  page: SignUpPage | null,
  title: string,
  body: Html,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  const text = layout({ language, title, organization: page?.organization ?? null, body })
  return sendHtml(request, response, { status, text, language, headers })
}

function showForm(
  visit: Visit,
  page: SignUpPage,
  status: number,
  form: SignUpForm,
  fault: Fault | null,
): Promise<void> {
  const { words, path } = visit
  return send(visit, status, page, words.title(page.name), signUpForm(words, page, path, form, fault))
}

function sent(visit: Visit, page: SignUpPage): Promise<void> {
  const { words } = visit
  return send(visit, 200, page, words.sent, card(words.sent, words.sentHint))
}

function unavailable(visit: Visit): Promise<void> {
  const { words } = visit
  return send(visit, 503, null, words.unavailableTitle, card(words.unavailableTitle, words.unavailable))
}

function notFound(visit: Visit): Promise<void> {
  const { words } = visit
  return send(visit, 404, null, words.notFoundTitle, card(words.notFoundTitle, words.notFound))
}

function tooMany(visit: Visit, seconds: number): Promise<void> {
  const { words } = visit
  const body = card(words.tooManyTitle, words.tooMany)
  return send(visit, 429, null, words.tooManyTitle, body, { 'Retry-After': String(seconds) })
}

function wrongMethod(visit: Visit): Promise<void> {
  const { words } = visit
  const headers = { Allow: 'GET, HEAD, POST' }
  return send(visit, 405, null, words.failedTitle, card(words.failedTitle, words.failed), headers)
}
