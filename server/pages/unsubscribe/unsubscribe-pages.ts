/**
 * /unsubscribe: what recipients do by the links of newsletters, without a login (decision D18, RFC 8058). A GET never changes anything: mail
 * scanners open links. A link that this server did not make shows nothing of anybody.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { CHOICES, type Choice, type RecipientChoice } from '../../../jmap/newsletters/links/choice.ts'
import { TEST_TOKEN } from '../../../jmap/newsletters/links/recipient-links.ts'
import type { Core } from '../../../jmap/services.ts'
import type { ClientView } from '../../http/client.ts'
import { sendHtml } from '../booking/answers.ts'
import { readFields } from '../booking/fields.ts'
import { layout } from '../booking/views/layout.ts'
import type { Html } from '../html.ts'
import { newsletterWords } from '../newsletter-words/languages.ts'
import type { UnsubscribeWords } from '../newsletter-words/words.ts'
import { card } from '../sign-up/views.ts'
import { orFailedPage } from '../temporary.ts'
import type { UnsubscribeRates } from './unsubscribe-rates.ts'
import { askToUnsubscribe, type LinkPaths, preferences, unsubscribed } from './views.ts'

const PATH = /^\/unsubscribe\/([A-Za-z0-9._-]{1,1000})(\/preferences)?$/

export interface UnsubscribeDeps {
  readonly core: Pick<Core, 'recipientLinks'>
  readonly rates: UnsubscribeRates
}

interface Visit {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly language: string
  readonly words: UnsubscribeWords
  readonly paths: LinkPaths
  readonly token: string
}

export class UnsubscribePages {
  readonly #deps: UnsubscribeDeps
  readonly #client: Pick<ClientView, 'ip'>

  constructor(deps: UnsubscribeDeps, client: Pick<ClientView, 'ip'>) {
    this.#deps = deps
    this.#client = client
  }

  owns(path: string): boolean {
    return path.startsWith('/unsubscribe/')
  }

  /** Links of recipients are secrets. */
  logged(path: string): string {
    return path.replace(/^(\/unsubscribe\/)[^/]+/, '$1...')
  }

  /** @throws HttpProblem, and failures that a later request meets too */
  async answer(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    const { language, unsubscribe: words } = newsletterWords(request.headers['accept-language'])
    const [, token = '', isPreferences] = PATH.exec(path) ?? []
    const own = `/unsubscribe/${token}`
    const paths = { unsubscribe: own, preferences: `${own}/preferences` }
    const visit = { request, response, language, words, paths, token }
    await orFailedPage(
      response,
      () => this.#show(visit, isPreferences !== undefined),
      (headers) => send(visit, 503, null, words.failedTitle, card(words.failedTitle, words.failed), headers),
    )
  }

  async #show(visit: Visit, isPreferences: boolean): Promise<void> {
    const { core, rates } = this.#deps
    const { words, token, request } = visit
    if (token === TEST_TOKEN) return send(visit, 200, null, words.testTitle, card(words.testTitle, words.test))
    // Before the store is read: whoever has one link may ask for it without an end.
    const isTooOften = token === '' ? null : rates.visit(token)
    if (isTooOften !== null) return tooMany(visit, isTooOften)
    // A forged link costs a decryption and reads no store.
    const found = token === '' ? null : await core.recipientLinks.find(token)
    const wait = found ? null : rates.forged(this.#client.ip(request))
    if (wait !== null) return tooMany(visit, wait)
    if (!found) return send(visit, 404, null, words.notFoundTitle, card(words.notFoundTitle, words.notFound))
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (!isRead && request.method !== 'POST') return wrongMethod(visit)
    if (found.organization === null) return gone(visit)
    if (isPreferences) return isRead ? showPreferences(visit, found, 200) : this.#choose(visit, found)
    return isRead ? showQuestion(visit, found) : this.#unsubscribe(visit)
  }

  /** RFC 8058 3.2: at once, without a redirect. Whatever the body says: nobody posts to this address for another reason. */
  async #unsubscribe(visit: Visit): Promise<void> {
    visit.request.resume()
    const after = await this.#deps.core.recipientLinks.choose(visit.token, 'none')
    if (!after?.organization) return gone(visit)
    const { words, paths } = visit
    const { name } = after.organization
    return send(visit, 200, after, words.done, unsubscribed(words, name, paths))
  }

  async #choose(visit: Visit, before: RecipientChoice): Promise<void> {
    const value = (await readFields(visit.request))('choice')
    const choice = CHOICES.find((one): one is Choice => one === value)
    if (choice === undefined) return showPreferences(visit, before, 422)
    const after = await this.#deps.core.recipientLinks.choose(visit.token, choice)
    return after?.organization ? showPreferences(visit, after, 200, 'saved') : gone(visit)
  }
}

function send(
  { request, response, language }: Visit,
  status: number,
  shown: RecipientChoice | null,
  title: string,
  body: Html,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  const text = layout({ language, title, organization: shown?.organization ?? null, body })
  return sendHtml(request, response, { status, text, language, headers })
}

function showQuestion(visit: Visit, shown: RecipientChoice): Promise<void> {
  const { words, paths } = visit
  const name = shown.organization?.name ?? ''
  if (shown.choice === 'none') return send(visit, 200, shown, words.done, unsubscribed(words, name, paths))
  return send(visit, 200, shown, words.unsubscribeTitle(name), askToUnsubscribe(words, name, paths))
}

function showPreferences(
  visit: Visit,
  shown: RecipientChoice,
  status: 200 | 422,
  notice: 'saved' | null = null,
): Promise<void> {
  const { words, paths } = visit
  const name = shown.organization?.name ?? ''
  const body = preferences(words, name, shown, paths.preferences, status === 422 ? 'fault' : notice)
  return send(visit, status, shown, words.preferencesTitle(name), body)
}

function gone(visit: Visit): Promise<void> {
  const { words } = visit
  return send(visit, 200, null, words.goneTitle, card(words.goneTitle, words.gone))
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
