/**
 * Meetings at Zoom, by its REST API with a server-to-server OAuth app (decision D23). The token is that of the account's owner, whose meetings
 * they are.
 */
import type { MeetingOutcome, MeetingTask } from '../../jmap/calendars/conferencing/meeting-queue.ts'
import type { WantedMeeting } from '../../jmap/calendars/conferencing/wanted-meeting.ts'
import type { ZoomCredentials } from '../../jmap/type/host-ports.ts'
import type { Clock } from '../base/clock.ts'
import { ZOOM_ANSWER_MAX_BYTES, ZOOM_LIST_PAGE, ZOOM_LIST_PAGES, ZOOM_REQUEST_MS } from '../base/conferencing-limits.ts'
import { errorMessage } from '../base/errors.ts'
import type { EgressRequest, EgressResponse, SafeFetch } from '../egress/safe-fetch.ts'
import { noAnswer, objectIn, refusal, ZoomError } from './zoom-answer.ts'
import { type ZoomHosts, zoomHosts } from './zoom-hosts.ts'
import { ZoomTokens } from './zoom-tokens.ts'

export interface ZoomOptions {
  /** Instead of Zoom's hosts; null: those. */
  readonly base: string | null
  readonly fetch: SafeFetch
  readonly clock: Clock
}

interface Found {
  readonly remote: string
  readonly joinUrl: string
}

type Task = Pick<MeetingTask, 'credentials' | 'wanted' | 'remote' | 'isUnsure' | 'reference'>

const NO_ONE: MeetingOutcome = { kind: 'removed' }

export class Zoom {
  readonly #hosts: ZoomHosts
  readonly #protocols: readonly ('https:' | 'http:')[]
  readonly #fetch: SafeFetch
  readonly #clock: Clock
  readonly #tokens: ZoomTokens

  constructor({ base, fetch, clock }: ZoomOptions) {
    this.#hosts = zoomHosts(base)
    this.#protocols = base === null ? ['https:'] : ['https:', 'http:']
    this.#fetch = fetch
    this.#clock = clock
    this.#tokens = new ZoomTokens({ url: this.#hosts.token, protocols: this.#protocols, fetch, clock })
  }

  /** Why the credentials cannot be used, as the end of a sentence; null: they can. Never rejects. */
  async fault(credentials: ZoomCredentials): Promise<string | null> {
    try {
      // Not a known token: the app may have been switched off since.
      this.#tokens.forget(credentials)
      await this.#call(credentials, 'GET', '/users/me/meetings?type=upcoming&page_size=1')
      return null
    } catch (error) {
      return errorMessage(error)
    }
  }

  /** Makes, changes or deletes one meeting. Never rejects. */
  async keep({ credentials, wanted, remote, isUnsure, reference }: Task): Promise<MeetingOutcome> {
    if (credentials === null) return failed(new ZoomError('it is not connected to the mailbox any more', 401), isUnsure)
    try {
      const known =
        remote === null ? (isUnsure ? await this.#find(credentials, reference) : null) : { remote, joinUrl: null }
      if (wanted === null) return known === null ? NO_ONE : await this.#remove(credentials, known.remote)
      const isKept = known !== null && (await this.#change(credentials, known.remote, wanted, reference))
      return isKept ? { kind: 'kept', ...known } : await this.#make(credentials, wanted, reference)
    } catch (error) {
      return failed(error, isUnsure)
    }
  }

  async #make(credentials: ZoomCredentials, wanted: WantedMeeting, reference: string): Promise<MeetingOutcome> {
    const answer = await this.#call(credentials, 'POST', '/users/me/meetings', bodyOf(wanted, reference))
    const made = meetingIn(objectIn(answer.body))
    if (!made) throw new ZoomError('Zoom answered without a link', 502)
    return { kind: 'kept', ...made }
  }

  /** false: somebody has deleted it in Zoom. */
  async #change(
    credentials: ZoomCredentials,
    remote: string,
    wanted: WantedMeeting,
    reference: string,
  ): Promise<boolean> {
    const path = `/meetings/${remote}`
    return (await this.#call(credentials, 'PATCH', path, bodyOf(wanted, reference), [404])).status !== 404
  }

  async #remove(credentials: ZoomCredentials, remote: string): Promise<MeetingOutcome> {
    await this.#call(credentials, 'DELETE', `/meetings/${remote}?schedule_for_reminder=false`, null, [404])
    return NO_ONE
  }

  /** A meeting that was made by a request whose answer was lost. */
  async #find(credentials: ZoomCredentials, reference: string): Promise<Found | null> {
    let next = ''
    for (let page = 0; page < ZOOM_LIST_PAGES; page++) {
      const query = new URLSearchParams({ type: 'scheduled', page_size: String(ZOOM_LIST_PAGE) })
      if (next !== '') query.set('next_page_token', next)
      const answer = objectIn((await this.#call(credentials, 'GET', `/users/me/meetings?${query}`)).body)
      const meetings: readonly unknown[] = Array.isArray(answer?.['meetings']) ? answer['meetings'] : []
      const found = meetings.find((one) => agendaOf(one).includes(reference))
      if (found) return meetingIn(found)
      const token = answer?.['next_page_token']
      if (typeof token !== 'string' || token === '') return null
      next = token
    }
    return null
  }

  /** @param allowed statuses beside 2xx that are no fault. @throws ZoomError */
  async #call(
    credentials: ZoomCredentials,
    method: NonNullable<EgressRequest['method']>,
    path: string,
    body: object | null = null,
    allowed: readonly number[] = [],
  ): Promise<EgressResponse> {
    for (let isSecond = false; ; isSecond = true) {
      const answer = await this.#request(await this.#tokens.get(credentials), method, path, body)
      const { status } = answer
      if ((status >= 200 && status < 300) || allowed.includes(status)) return answer
      // A token ends early if the app's rights change.
      if (status !== 401 || isSecond) throw refusal(answer, this.#clock.now())
      this.#tokens.forget(credentials)
    }
  }

  #request(token: string, method: NonNullable<EgressRequest['method']>, path: string, body: object | null) {
    return this.#fetch(`${this.#hosts.api}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== null && { 'content-type': 'application/json' }),
      },
      ...(body !== null && { body: JSON.stringify(body) }),
      protocols: this.#protocols,
      timeoutMs: ZOOM_REQUEST_MS,
      maxBytes: ZOOM_ANSWER_MAX_BYTES,
    }).catch((error: unknown) => {
      throw noAnswer(error)
    })
  }
}

/** Types of meetings in Zoom's API. */
const SCHEDULED = 2
const WITHOUT_TIME = 3

function bodyOf({ topic, start, minutes }: WantedMeeting, reference: string): object {
  return {
    topic,
    // By it the meeting is found again if an answer is lost.
    agenda: reference,
    // Zoom knows fewer zones than IANA, and one that it does not know would cost the meeting.
    ...(start === null
      ? { type: WITHOUT_TIME }
      : { type: SCHEDULED, start_time: start, duration: minutes, timezone: 'UTC' }),
  }
}

function agendaOf(meeting: unknown): string {
  const { agenda } = (meeting ?? {}) as { readonly agenda?: unknown }
  return typeof agenda === 'string' ? agenda : ''
}

/** null: it has no number or no web link. */
function meetingIn(meeting: unknown): Found | null {
  const { id, join_url: joinUrl } = (meeting ?? {}) as { readonly id?: unknown; readonly join_url?: unknown }
  const remote = typeof id === 'number' && Number.isSafeInteger(id) ? String(id) : id
  const isId = typeof remote === 'string' && /^\d{1,20}$/.test(remote)
  const isLink = typeof joinUrl === 'string' && /^https?:\/\/[\x21-\x7e]{1,2000}$/.test(joinUrl)
  return isId && isLink ? { remote, joinUrl } : null
}

function failed(error: unknown, wasUnsure: boolean): MeetingOutcome {
  const { message, mayComeRight, retryAfter, isUnsure } =
    error instanceof ZoomError ? error : new ZoomError(errorMessage(error), null)
  return { kind: 'failed', reason: message, mayComeRight, retryAfter, isUnsure: wasUnsure || isUnsure }
}
