/**
 * Files that are being sent to anybody. Each holds some octets until its client reads them, so that their number is limited: when there are too
 * many, the one whose client has read nothing for longest is ended. Visitors who read are served, however many there are who do not.
 */
import type { ServerResponse } from 'node:http'
import { MEDIA_SENDS_MAX, MEDIA_SENDS_PER_CLIENT_MAX } from '../../base/image-limits.ts'

export class MediaSends {
  readonly #maxOfClient: number
  readonly #max: number
  /** In the order in which their clients last took something. */
  readonly #open = new Map<ServerResponse, string>()

  constructor(max = MEDIA_SENDS_MAX, maxOfClient = MEDIA_SENDS_PER_CLIENT_MAX) {
    this.#max = max
    this.#maxOfClient = maxOfClient
  }

  /** Counts a response until it ends. */
  begin(response: ServerResponse, client: string): void {
    const own = [...this.#open].filter(([, of]) => of === client)
    if (own.length >= this.#maxOfClient) this.#end(own[0]![0])
    else if (this.#open.size >= this.#max) this.#end([...this.#open.keys()][0]!)
    this.#open.set(response, client)
    response.once('close', () => this.#open.delete(response))
  }

  #end(response: ServerResponse): void {
    this.#open.delete(response)
    response.destroy()
  }

  /** The client has taken what was sent so far. */
  note(response: ServerResponse): void {
    const client = this.#open.get(response)
    if (client === undefined) return
    this.#open.delete(response)
    this.#open.set(response, client)
  }
}
