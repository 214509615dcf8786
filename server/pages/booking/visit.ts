/** One request to the booking pages, and what all of its answers need. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Core } from '../../../jmap/services.ts'
import type { Clock } from '../../base/clock.ts'
import type { Html } from '../html.ts'
import { errorBody, type FrameAncestors, sendData, sendHtml, wantsData } from './answers.ts'
import type { BookingRates } from './booking-rates.ts'
import { type Language, languageFor } from './languages.ts'
import { type Framed, layout, message } from './views/layout.ts'

export interface BookingDeps {
  readonly core: Pick<Core, 'bookings'>
  readonly clock: Clock
  readonly rates: BookingRates
}

/** A problem that ends a visit. */
export type Problem = 'notFound' | 'gone' | 'tooMany' | 'method' | 'unavailable'

const PROBLEMS = {
  notFound: { status: 404, type: 'not_found', code: 'not_found', title: 'notFoundTitle', text: 'notFound' },
  gone: { status: 410, type: 'not_found', code: 'not_found', title: 'goneTitle', text: 'gone' },
  tooMany: {
    status: 429,
    type: 'rate_limit_exceeded',
    code: 'rate_limit_exceeded',
    title: 'tooManyTitle',
    text: 'tooMany',
  },
  unavailable: {
    status: 503,
    type: 'service_unavailable',
    code: 'service_unavailable',
    title: 'failedTitle',
    text: 'failed',
  },
  method: {
    status: 405,
    type: 'method_not_allowed',
    code: 'method_not_allowed',
    title: 'failedTitle',
    text: 'failed',
  },
} as const

export class Visit {
  readonly deps: BookingDeps
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly path: string
  readonly query: URLSearchParams
  readonly ip: string
  readonly baseUrl: string
  readonly language: Language
  readonly wantsData: boolean

  constructor(
    deps: BookingDeps,
    request: IncomingMessage,
    response: ServerResponse,
    at: { readonly path: string; readonly ip: string; readonly baseUrl: string },
  ) {
    this.deps = deps
    this.request = request
    this.response = response
    this.path = at.path
    this.ip = at.ip
    this.baseUrl = at.baseUrl
    this.query = new URL(request.url ?? '/', 'http://host').searchParams
    this.language = languageFor(request.headers['accept-language'])
    this.wantsData = wantsData(request)
  }

  get isRead(): boolean {
    return this.request.method === 'GET' || this.request.method === 'HEAD'
  }

  /** A whole page. */
  page(
    status: number,
    shown: {
      readonly title: string
      readonly body: Html
      readonly organization: Framed['organization']
      readonly ancestors?: FrameAncestors
      readonly headers?: Readonly<Record<string, string>>
    },
  ): Promise<void> {
    const { ancestors = [], headers = {}, ...framed } = shown
    const isEmbedded = ancestors.length > 0
    const text = layout({ ...framed, language: this.language.words.language, isEmbedded, hasScript: true })
    return sendHtml(this.request, this.response, {
      status,
      text,
      language: this.language.words.language,
      ancestors,
      hasScript: true,
      headers,
    })
  }

  data(status: number, body: object): void {
    sendData(this.request, this.response, status, body)
  }

  invalid(details: readonly object[], text: string): void {
    const error = { type: 'validation_error', code: 'validation_error', message: text, details }
    sendData(this.request, this.response, 422, errorBody(this.response, error))
  }

  conflict(text: string): void {
    const error = { type: 'conflict', code: 'slot_taken', message: text }
    sendData(this.request, this.response, 409, errorBody(this.response, error))
  }

  async problem(problem: Problem, headers: Readonly<Record<string, string>> = {}): Promise<void> {
    const { status, type, code, title, text } = PROBLEMS[problem]
    const { words } = this.language
    if (this.wantsData) {
      const body = errorBody(this.response, { type, code, message: words[text] })
      sendData(this.request, this.response, status, body, headers)
      return
    }
    const body = message(words[title], words[text])
    await this.page(status, { title: words[title], body, organization: null, headers })
  }

  tooMany(seconds: number): Promise<void> {
    return this.problem('tooMany', { 'Retry-After': String(seconds) })
  }

  onlyMethods(...methods: readonly string[]): Promise<void> {
    return this.problem('method', { Allow: methods.join(', ') })
  }
}
